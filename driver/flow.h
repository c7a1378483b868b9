/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Control flow, liveness and rows of a function: from a decoded body to the
 * place of every register in the row file.
 */
#ifndef DRIVER_FLOW_H
#define DRIVER_FLOW_H

#include "body.h"

/* A run of instructions that is entered at its first and left after its last. */
struct block {
	uint32_t first, end;       /* instructions */
	uint32_t successor, count; /* in flow->successors */
};

struct flow {
	struct block *blocks;      /* owned */
	size_t block_count;
	uint32_t *successors;      /* owned: blocks */
	size_t successor_count;
	uint32_t *block_of;        /* owned: of each instruction, and of the end */
	uint8_t *joined;           /* owned: of each instruction: a label stands before it */
};

/* Where a register's value is needed: instructions, both ends included. */
struct interval {
	uint32_t start, end;       /* start > end: never used */
};

/* What the instruction does with control. */
enum flow_kind { FLOW_NEXT, FLOW_BRANCH, FLOW_TABLE, FLOW_CALL, FLOW_END };
enum flow_kind flow_kind(const struct insn *insn);

/* Finds the blocks of @body. GPURUN_NO_MEMORY. */
int flow_find(const struct body *body, struct flow *flow, struct err *e);

/* Takes a zeroed one. */
void flow_release(struct flow *flow);

/*
 * Calls @see for every register that @insn reads (write false), then for those
 * that it writes.
 */
void insn_registers(const struct body *body, const struct insn *insn,
		    void (*see)(void *context, uint32_t index, bool write), void *context);

/* Finds the interval of every register. *@out is owned by the caller (free). */
int liveness_find(const struct body *body, const struct flow *flow, struct interval **out,
		  struct err *e);

/*
 * Gives every register of @body a place at or after @start in the row file.
 * *@offsets is owned by the caller (free); *@end is where the rows end, @live
 * grows by the 32-bit rows that are needed at once.
 */
int rows_allocate(const struct body *body, const struct interval *intervals, int32_t start,
		  int32_t **offsets, int32_t *end, uint32_t *live, struct err *e);

#endif
