/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Matrix instructions: what lowering passes to their handlers, and where the
 * elements of matrices are in fragments.
 *
 * A fragment is some registers; register r of the 32 lanes together is a block
 * of 8 rows of 16 bytes (b64: 32), lane 4 * g + t having the words t of row g, as
 * in memory. The blocks of a matrix follow each other down its rows first, then
 * to the right. B is seen with its columns as rows. In C and D lane 4 * g + t has
 * elements 2 * t and 2 * t + 1 of row g in a block of 8 by 8: packed into one
 * register of halves, or in two consecutive registers. The ISA specifies this for
 * mma (except m8n8k4 of halves), mma.sp and wgmma; of wmma, where it does not
 * specify the layout, it is the same here.
 */
#ifndef CPU_MMA_H
#define CPU_MMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "op.h"

enum { MOST_FRAGMENTS = 136, FRAGMENT_SLOT = 1 };

/* ldmatrix, stmatrix: c of the op */
enum { MATRIX_COUNT = 7, MATRIX_TRANS = 8, MATRIX_SHARED = 16 };

enum mma_type {
	MMA_F16, MMA_BF16, MMA_TF32, MMA_E4M3, MMA_E5M2, MMA_F64,
	MMA_S8, MMA_U8, MMA_S4, MMA_U4, MMA_B1, MMA_F32, MMA_S32, MMA_TYPES,
};

enum mma_flag {
	MMA_SATFINITE = 1,
	MMA_AND = 2,         /* of bits; else xor */
	MMA_ROUNDING = 3,    /* of f64: 0 rn, 1 rz, 2 rm, 3 rp */
	MMA_A_COL = 4, MMA_B_ROW = 8, /* m8n8k4 of halves */
};

/* wgmma: c of the op. d: a predicate, whether to add to D; a, b: descriptors, as fragments. */
enum wgmma_flag {
	WGMMA_REGISTERS = 1,  /* A is in fragments, after those of D */
	WGMMA_TRANS_A = 2, WGMMA_TRANS_B = 4, /* m or n is contiguous in memory, not k */
	WGMMA_NEGATE = 8,     /* the product */
	WGMMA_SPARSE = 16,    /* the last fragment is metadata */
	WGMMA_SELECTOR = 32,  /* of metadata: 1 */
};

/* D = A * B + C: an op's imm. Its fragments are those of D, A, B, C in this order. */
struct mma_plan {
	uint8_t m8, n8, k4;  /* m and n in eights, k in fours */
	uint8_t a, b, c, d;  /* enum mma_type */
	uint8_t flags;       /* enum mma_flag */
};

/*
 * wmma.load and wmma.store: the imm of the op after the first. The first one has a
 * row of addresses in a, its index in w->hits in b, a fragment with the stride in
 * elements in c, bytes to add in imm; the fragments follow the second.
 */
struct wmma_plan {
	uint8_t bits;          /* of an element */
	uint8_t rows8, across; /* blocks below and beside each other; B seen by columns */
	uint8_t registers;     /* all of them; more than blocks: filled with copies */
	bool pairs;            /* two consecutive registers are a block */
	bool along;            /* neighbours in a row are neighbours in memory */
	bool shared;
	uint8_t unused;
};

static inline int64_t wmma_pack(struct wmma_plan plan)
{
	int64_t imm;

	memcpy(&imm, &plan, sizeof(imm));
	return imm;
}

static inline struct wmma_plan wmma_unpack(int64_t imm)
{
	struct wmma_plan plan;

	memcpy(&plan, &imm, sizeof(plan));
	return plan;
}

static inline int64_t mma_pack(struct mma_plan plan)
{
	int64_t imm;

	memcpy(&imm, &plan, sizeof(imm));
	return imm;
}

static inline struct mma_plan mma_unpack(int64_t imm)
{
	struct mma_plan plan;

	memcpy(&plan, &imm, sizeof(plan));
	return plan;
}

/* Bits of one element. */
static inline unsigned mma_bits(enum mma_type type)
{
	static const uint8_t bits[MMA_TYPES] = {
		[MMA_F16] = 16, [MMA_BF16] = 16, [MMA_TF32] = 32, [MMA_E4M3] = 8, [MMA_E5M2] = 8,
		[MMA_F64] = 64, [MMA_S8] = 8, [MMA_U8] = 8, [MMA_S4] = 4, [MMA_U4] = 4,
		[MMA_B1] = 1, [MMA_F32] = 32, [MMA_S32] = 32,
	};

	return bits[type];
}

/* Registers of a fragment of @elements; those of f64 have 64 bits, all others 32. */
static inline unsigned mma_registers(enum mma_type type, unsigned elements)
{
	return type == MMA_F64 ? elements / 32 : elements * mma_bits(type) / 1024;
}

/*
 * Fragment @i of @ip: offset in the row file of a row; of a slot, which has the
 * value of every lane, when FRAGMENT_SLOT is set in it.
 */
static inline int32_t fragment_at(const struct op *ip, unsigned i)
{
	int32_t at;

	static_assert(offsetof(struct op, c) == offsetof(struct op, d) + 3 * sizeof(at),
		      "d, a, b and c follow each other");
	memcpy(&at, (const char *)(ip + 1 + i / 4) + offsetof(struct op, d) + i % 4 * sizeof(at),
	       sizeof(at));
	return at;
}

/* The op after @ip and its @count fragments. */
static inline const struct op *fragments_end(const struct op *ip, unsigned count)
{
	return ip + 1 + (count + 3) / 4;
}

#endif
