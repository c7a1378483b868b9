/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * How the lanes of a warp differ in each register of an entry, as long as all of them take the same
 * way: not at all, by constants, or in any way. What they hold then follows from what instructions
 * compute, not from which lanes execute them, so that more is known than for uniform.h; and for one
 * shape of the block, %tid is one number and constants.
 *
 * It is of registers, not of each write of one: compilers write most registers one time.
 * docs/internals/kinds.md has how much that loses.
 *
 * What holds after lanes have taken different ways is another matter: who relies on kinds has to
 * test, where lanes reconverge, that registers hold what their kinds say.
 */
#ifndef CPU_KINDS_H
#define CPU_KINDS_H

#include <stdio.h>

#include "block_lanes.h"
#include "flow.h"
#include "kind_rules.h"

enum kind {
	KIND_UNIFORM, /* one value for all lanes */
	KIND_PATTERN, /* the value of lane 0, and constants that each lane has more */
	KIND_VECTOR,  /* any values */
};

struct register_kind {
	uint8_t form;            /* enum values_form */
	uint8_t bits;            /* 1: a predicate; 0: of 128 bits, or unused */
	uint8_t changes;         /* how often it has become less */
	uint16_t pattern;        /* index in kinds->patterns; 0: all lanes have one value */
	uint64_t known, base;    /* bits of lane 0's value that are known, and they */
};

/* What one instruction makes of its operands. */
struct insn_kind_result {
	uint8_t kind;            /* enum kind: of its first result, whatever else writes that
				  * register; KIND_VECTOR of those without one */
	struct kind_check check; /* what has to hold when it is executed, or its result has not
				  * the kind of its register */
};

struct kinds {
	struct register_kind *registers;  /* owned: of each register */
	struct insn_kind_result *results; /* owned: of each instruction */
	int64_t (*patterns)[KIND_LANES];  /* owned: what lanes have more than lane 0, with sign */
	size_t pattern_count;
	uint32_t lanes;                   /* those that some warp has */
};

/*
 * Finds the kinds of entry @body, for blocks of @shape. *@out is owned by the caller
 * (kinds_release). GPURUN_NO_MEMORY.
 */
int kinds_find(const struct body *body, const struct liveness *liveness,
	       const struct block_shape *shape, struct kinds *out, struct err *e);

/* Accepts a zeroed one. */
void kinds_release(struct kinds *kinds);

static inline enum kind register_kind(const struct kinds *kinds, uint32_t index)
{
	const struct register_kind *r = &kinds->registers[index];

	return r->form != VALUES_BASE ? KIND_VECTOR : r->pattern ? KIND_PATTERN : KIND_UNIFORM;
}

/*
 * Finds the kind of the address that @insn loads from, stores to or updates; false when it has
 * none in brackets.
 */
bool kinds_address(const struct kinds *kinds, const struct body *body, const struct insn *insn,
		   enum kind *kind);

/*
 * Writes what is known of register @index: "vector", "uniform", "base+0..31", "32n+0..15,0..15".
 * Before the plus, or after "uniform", is lane 0's value if it is known, or "32n" of a multiple of
 * 32. Then the lanes' steps: "0*16" is a 0 in 16 lanes, "0..124/4" counts by 4.
 */
void kinds_print(FILE *to, const struct kinds *kinds, uint32_t index);

#endif
