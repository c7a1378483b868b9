/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Fragments: the registers in which the lanes of a warp hold a matrix. There
 * are more of them than an op has operands: they stand in the ops behind it,
 * four to an op, in the order in which they were added.
 */
#ifndef DRIVER_LOWER_MMA_H
#define DRIVER_LOWER_MMA_H

#include "lower.h"
#include "mma.h"

struct fragments {
	int32_t at[MOST_FRAGMENTS];
	unsigned count;
};

/*
 * Adds the @count registers or immediates of @size bytes that @operand names.
 * GPURUN_FORMAT when it is no vector, or one of another length or of registers
 * of another size.
 */
int fragment_sources(struct lowering *l, const struct operand *operand, unsigned count,
		     unsigned size, struct fragments *out);

/* Likewise for registers that the instruction writes. */
int fragment_results(struct lowering *l, const struct operand *operand, unsigned count,
		     unsigned size, struct fragments *out);

/* Emits the ops that hold @fragments, behind the op that they belong to. */
int fragments_emit(struct lowering *l, const struct fragments *fragments);

/* Where rows of a matrix are, for an op: a row of generic addresses, and bytes to add. */
struct matrix_place {
	int32_t row;
	int64_t offset;
	bool shared; /* the space is named: what is outside of it is an error */
};

/* Takes the space out of the opcode. */
int matrix_place(struct lowering *l, const struct operand *operand, struct matrix_place *place);

/* Takes "sync" and "aligned"; they have to be there. */
int take_aligned(struct lowering *l);

#endif
