/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Products of matrices as handlers compute them: what mma and wgmma have in common. */
#ifndef CPU_PRODUCT_H
#define CPU_PRODUCT_H

#include "op_mma.h"
#include "matrix.h"

enum { MOST_A = 16 * 128, MOST_K = 128, MOST_SUMS = 256 };

/* A, and B one block of 8 columns at a time, as f64; C, then D. */
struct product {
	struct mma_plan plan;
	unsigned width;              /* elements of a row of a block */
	unsigned blocks;             /* of A, next to each other */
	unsigned at_a, at_b, at_c, end; /* the first fragment of each */
	f64 a[MOST_A] __attribute__((aligned(64)));
	f64 b[MOST_K * 8] __attribute__((aligned(64)));
	f64 sum[MOST_SUMS] __attribute__((aligned(64)));
};

static inline void product_begin(struct product *p, int64_t imm)
{
	struct mma_plan plan = mma_unpack(imm);
	unsigned m = plan.m8 * 8u, n = plan.n8 * 8u, k = plan.k4 * 4u;

	p->plan = plan;
	p->width = plan.a == MMA_F64 ? 4 : 128 / mma_bits(plan.a);
	p->blocks = k / p->width;
	p->at_a = mma_registers(plan.d, m * n);
	p->at_b = p->at_a + mma_registers(plan.a, m * k);
	p->at_c = p->at_b + mma_registers(plan.b, n * k);
	p->end = p->at_c + mma_registers(plan.c, m * n);
}

/* A block of elements of @type as f64. */
static inline void widen_block(enum mma_type type, const u32 words[LANES], f64 *out)
{
	static void (*const widens[])(const u32 *, f64 *) = {
		[MMA_F16] = widen_f16, [MMA_BF16] = widen_bf16, [MMA_TF32] = widen_tf32,
		[MMA_E4M3] = widen_e4m3, [MMA_E5M2] = widen_e5m2, [MMA_S8] = widen_s8,
		[MMA_U8] = widen_u8, [MMA_S4] = widen_s4, [MMA_U4] = widen_u4,
	};

	widens[type](words, out);
}

/* Fragment @i as f64. */
static inline void widen(struct warp *w, const struct op *ip, unsigned i, enum mma_type type,
			 f64 *out)
{
	u32 spread[LANES];

	widen_block(type, fragment_in(w, ip, i, spread), out);
}

/*
 * Blocks @first to @end of C: elements in pairs, from packed halves or from two
 * consecutive registers.
 */
static inline void load_sums(struct warp *w, const struct op *ip, struct product *p,
			     unsigned first, unsigned end)
{
	for (unsigned i = first; i < end; i++) {
		f64 *sum = p->sum + 2 * LANES * (i - first);
		u32 spread[2][LANES];
		const u32 *c[2];

		if (p->plan.c == MMA_F16) {
			widen(w, ip, p->at_c + i, MMA_F16, sum);
			continue;
		}
		c[0] = fragment_in(w, ip, p->at_c + 2 * i, spread[0]);
		c[1] = fragment_in(w, ip, p->at_c + 2 * i + 1, spread[1]);
		for (unsigned l = 0; l < LANES; l++) {
			bool real = p->plan.c == MMA_F32;

			sum[2 * l] = real ? (f64)bits_f32(c[0][l]) : (f64)(s32)c[0][l];
			sum[2 * l + 1] = real ? (f64)bits_f32(c[1][l]) : (f64)(s32)c[1][l];
		}
	}
}

static inline u32 narrow(const struct product *p, f64 x)
{
	if (p->plan.d == MMA_F32)
		return f32_bits(canonical_f32((f32)x));
	return (u32)(p->plan.flags & MMA_SATFINITE ? clamp_s32(x) : wrap_s32(x));
}

static inline void store_sums(struct warp *w, const struct op *ip, const struct product *p,
			      unsigned first, unsigned end)
{
	for (unsigned i = first; i < end; i++) {
		const f64 *sum = p->sum + 2 * LANES * (i - first);
		u32 *d = fragment_out(w, ip, p->plan.d == MMA_F16 ? i : 2 * i), *e;

		if (p->plan.d == MMA_F16) {
			EACH_LANE d[l] = pair_b32(f16_from_f64(sum[2 * l], ROUND_RN),
						  f16_from_f64(sum[2 * l + 1], ROUND_RN));
			continue;
		}
		e = fragment_out(w, ip, 2 * i + 1);
		EACH_LANE d[l] = narrow(p, sum[2 * l]);
		EACH_LANE e[l] = narrow(p, sum[2 * l + 1]);
	}
}

/* The @count fragments of A. */
static inline void load_a(struct warp *w, const struct op *ip, struct product *p, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		widen(w, ip, p->at_a + i, p->plan.a, p->a + i * BLOCK_ROWS * p->width);
}

/* Block @i of a strip of B, in which its columns are rows: a row for each k. */
static inline void put_b(struct product *p, unsigned i, const u32 words[LANES])
{
	f64 block[MOST_ELEMENTS] __attribute__((aligned(64)));
	f64 *to = p->b + i * p->width * 8;

	widen_block(p->plan.b, words, block);
	for (unsigned k = 0; k < p->width; k++)
		for (unsigned c = 0; c < 8; c++)
			to[k * 8 + c] = block[c * p->width + k];
}

/* Adds A times the strip of B to @sum. */
static inline void multiply_strip(struct product *p, f64 *sum)
{
	unsigned m = p->plan.m8 * 8u;

	for (unsigned r = 0; r < m; r += TILE)
		multiply_exact(sum + r * 8, p->a + r * p->width, p->b, p->width, m * p->width,
			       p->blocks);
}

#endif
