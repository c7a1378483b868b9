/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Fragments: the registers in which the lanes of a warp hold a matrix. There
 * are more of them than an op has operands: they are in the ops after it, four
 * to an op, in the order in which they were added.
 */
#ifndef CPU_LOWER_MMA_H
#define CPU_LOWER_MMA_H

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

/* Emits the ops that hold @fragments, after the op that they belong to. */
int fragments_emit(struct lowering *l, const struct fragments *fragments);

/* Where rows of a matrix are, for an op: a row of generic addresses, and bytes to add. */
struct matrix_place {
	int32_t row;
	int64_t offset;
	bool shared; /* the space is named: an address outside of it is an error */
};

/* Finds the address of @operand; removes the space from the opcode. */
int matrix_place(struct lowering *l, const struct operand *operand, struct matrix_place *place);

/* Removes "sync" and "aligned" from the opcode; fails unless both are there. */
int expect_aligned(struct lowering *l);

/* What the parts of an opcode say: shape, layouts and types in order, modifiers. */
struct mma_form {
	unsigned m, n, k;
	uint8_t types[4];  /* enum mma_type */
	unsigned type_count;
	bool col[2];
	unsigned layouts;
	bool satfinite, and, xor, popc;
	uint8_t rounding;  /* 0: none; rn, rz, rm, rp */
};

/* Parses what is left of the opcode; all of it has to be such parts. */
int mma_parse(struct lowering *l, struct mma_form *form);

/* The type spelt @name; -1 when it is none. */
int mma_type_of(struct ptx_name name);

/*
 * What the modifiers of @form mean for products of @a, in enum mma_flag. False when
 * there is one that such products do not have, or none where they need one.
 */
bool mma_flags(const struct mma_form *form, enum mma_type a, uint8_t *flags);

/* Tells whether matrices of these types can be multiplied and added. */
bool mma_types_fit(enum mma_type d, enum mma_type a, enum mma_type b, enum mma_type c);

/* The handler for products of @a. */
enum handler mma_handler(enum mma_type a);

/*
 * Emits @plan for operands D, A, B, C, which are vectors of @given registers; the
 * first @counts of them are what the handler needs. @a and @b become the op's.
 */
int mma_emit(struct lowering *l, enum handler handler, const struct mma_plan *plan,
	     const unsigned counts[4], const unsigned given[4], int32_t a, int32_t b);

#endif
