/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Control flow, liveness and rows of a function: from a decoded body to the offset
 * of every register in the row file.
 */
#ifndef CPU_FLOW_H
#define CPU_FLOW_H

#include "insn.h"

/* A run of instructions that is entered at its first and left after its last. */
struct basic_block {
	uint32_t first, end;       /* instructions */
	uint32_t successor, count; /* in flow->successors */
};

/* What is known of an instruction at which a block begins. */
enum flow_join {
	FLOW_JOINED = 1, /* lanes may reconverge here: a label precedes it, or a loop */
	FLOW_AWAITS = 2, /* a loop begins here that reads what other threads may write meanwhile */
};

struct flow {
	struct basic_block *blocks;      /* owned */
	size_t block_count;
	uint32_t *successors;      /* owned: blocks */
	size_t successor_count;
	uint32_t *block_of;        /* owned: of each instruction, and of the end */
	uint8_t *joined;           /* owned: of each instruction: enum flow_join bits */
};

/* Where a register's value is needed: instructions, both ends included. */
struct interval {
	uint32_t start, end;       /* start > end: never used */
};

/* Which registers are needed where. */
struct liveness {
	struct interval *intervals; /* owned: of each register */
	uint32_t *numbers;          /* owned: of each register: its bit in the sets, plus 1; 0:
				     * it lives inside one block */
	uint64_t *sets;             /* owned: of each block, words long: live where it begins */
	size_t words;
};

/* Finds the blocks of @body. GPURUN_NO_MEMORY, GPURUN_UNSUPPORTED beyond its budget. */
int flow_find(const struct body *body, struct flow *flow, struct err *e);

/* Accepts a zeroed one. */
void flow_release(struct flow *flow);

enum { FLOW_LOOP_BLOCKS = 4 };

/* The first block of the loop that a conditional branch back at the end of block @block makes, if
 * it has so many blocks at most; UINT32_MAX: there is none. */
uint32_t flow_short_loop(const struct flow *flow, uint32_t block);

/*
 * Finds for every block the nearest one that all its paths to the end pass through:
 * block_count is the end itself, UINT32_MAX where no path leads there. A guarded ret or
 * exit is no path: no lanes reconverge with those that leave. *@out is owned by the
 * caller (free). GPURUN_NO_MEMORY.
 */
int flow_postdominators(const struct flow *flow, uint32_t **out, struct err *e);

/*
 * Finds where every register is live. What is needed behind a short loop (flow_short_loop()) has an
 * interval that begins with the loop, if not before: lanes that have left it wait, and keep that,
 * while others are in the loop. GPURUN_NO_MEMORY, GPURUN_UNSUPPORTED beyond its budget.
 */
int liveness_find(const struct body *body, const struct flow *flow, struct liveness *out,
		  struct err *e);

/* Accepts a zeroed one. */
void liveness_release(struct liveness *liveness);

/* Tells whether register @index is live where block @block begins. */
static inline bool liveness_enters(const struct liveness *liveness, uint32_t block,
				   uint32_t index)
{
	uint32_t bit = liveness->numbers[index] - 1;

	return liveness->numbers[index] &&
	       (liveness->sets[block * liveness->words + bit / 64] >> (bit & 63) & 1);
}

enum { MOST_VARIANTS = 64 };

/* Where registers are in the row file. */
struct places {
	int32_t *offsets;          /* owned: of each register */
	int32_t end;               /* of them all */
	int32_t variants;          /* where the slots are that waiting groups keep */
	uint32_t variant_count;
};

/*
 * Assigns every register of @body a place at or after @start in the row file: a
 * row, or what @homes says (NULL: rows for all). The caller frees out->offsets.
 * GPURUN_NO_MEMORY.
 */
int rows_allocate(const struct body *body, const struct interval *intervals,
		  const uint8_t *homes, int32_t start, struct places *out, struct err *e);

/* The bytes of a row for a register of @type. */
int32_t rows_bytes(enum ptx_type type);

#endif
