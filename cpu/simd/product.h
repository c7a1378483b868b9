/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Products of matrices as handlers compute them: what mma and wgmma have in common. */
#ifndef CPU_PRODUCT_H
#define CPU_PRODUCT_H

#include "op_mma.h"
#include "matrix.h"

enum { MOST_A = 16 * 128, MOST_K = 128, MOST_SUMS = 256, SUMS = 2 * LANES /* of a block */ };

/*
 * A, and B one block of 8 columns at a time, as f64; C, then D. In B and in sums the
 * even columns of a block are first, then the odd ones: so are those of a row of
 * sums in registers.
 */
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

typedef u16 halves_row __attribute__((vector_size(16)));

/* A block of sums from packed halves, and back. */
static inline void widen_packed(const u32 words[LANES], f64 *sum)
{
	u32 ordered[LANES];

	for (int l = 0; l < LANES; l += 4) {
		halves_row row;

		memcpy(&row, words + l, sizeof(row));
		row = __builtin_shufflevector(row, row, 0, 2, 4, 6, 1, 3, 5, 7);
		memcpy(ordered + l, &row, sizeof(row));
	}
	widen_f16(ordered, sum);
}

static inline void narrow_packed(const f64 *sum, u32 words[LANES])
{
	u16 halves[SUMS];

	for (int i = 0; i < SUMS; i++)
		halves[i] = f16_from_f64(sum[i], ROUND_RN);
	for (int l = 0; l < LANES; l += 4) {
		halves_row row;

		memcpy(&row, halves + 2 * l, sizeof(row));
		row = __builtin_shufflevector(row, row, 0, 4, 1, 5, 2, 6, 3, 7);
		memcpy(words + l, &row, sizeof(row));
	}
}

/* Half of each row of a block of sums, from a register. */
static inline void widen_sums(enum mma_type type, const u32 *restrict words,
			      f64 *restrict sum)
{
	if (type == MMA_F32)
		for (int row = 0; row < 8; row++)
			for (int i = 0; i < 4; i++)
				sum[row * 8 + i] = bits_f32(words[row * 4 + i]);
	else
		for (int row = 0; row < 8; row++)
			for (int i = 0; i < 4; i++)
				sum[row * 8 + i] = (s32)words[row * 4 + i];
}

static inline u32 narrow_f32(f64 x)
{
	return f32_bits(canonical_f32((f32)x));
}

/* A block of sums, to two registers. */
static inline void narrow_sums(const struct product *p, const f64 *sum, u32 *d, u32 *e)
{
	u32 words[SUMS];

	if (p->plan.d == MMA_F32)
		for (int i = 0; i < SUMS; i++)
			words[i] = narrow_f32(sum[i]);
	else if (p->plan.flags & MMA_SATFINITE)
		for (int i = 0; i < SUMS; i++)
			words[i] = (u32)clamp_s32(sum[i]);
	else
		for (int i = 0; i < SUMS; i++)
			words[i] = (u32)wrap_s32(sum[i]);
	for (int l = 0; l < LANES; l += 4) {
		memcpy(d + l, words + 2 * l, 4 * sizeof(*d));
		memcpy(e + l, words + 2 * l + 4, 4 * sizeof(*e));
	}
}

/* Blocks @first to @end of C: packed halves, or two consecutive registers. */
static inline void load_sums(struct warp *w, const struct op *ip, struct product *p,
			     unsigned first, unsigned end)
{
	f64 *sum = p->sum;
	u32 spread[LANES];

	for (unsigned i = first; i < end; i++, sum += SUMS) {
		if (p->plan.c == MMA_F16) {
			widen_packed(fragment_in(w, ip, p->at_c + i, spread), sum);
			continue;
		}
		widen_sums(p->plan.c, fragment_in(w, ip, p->at_c + 2 * i, spread), sum);
		widen_sums(p->plan.c, fragment_in(w, ip, p->at_c + 2 * i + 1, spread), sum + 4);
	}
}

static inline void store_sums(struct warp *w, const struct op *ip, const struct product *p,
			      unsigned first, unsigned end)
{
	const f64 *sum = p->sum;

	for (unsigned i = first; i < end; i++, sum += SUMS) {
		if (p->plan.d == MMA_F16)
			narrow_packed(sum, fragment_out(w, ip, i));
		else
			narrow_sums(p, sum, fragment_out(w, ip, 2 * i),
				    fragment_out(w, ip, 2 * i + 1));
	}
}

/* The @count fragments of A. */
static inline void load_a(struct warp *w, const struct op *ip, struct product *p, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		widen(w, ip, p->at_a + i, p->plan.a, p->a + i * BLOCK_ROWS * p->width);
}

/* Elements of 4 bits, 8 rows of 32 of them, become columns. */
static inline void put_b4(enum mma_type type, const u32 words[LANES], f64 *to)
{
	f64 block[MOST_ELEMENTS] __attribute__((aligned(64)));

	widen_block(type, words, block);
	for (unsigned k = 0; k < 32; k++)
		for (unsigned c = 0; c < 8; c++)
			to[k * 8 + c] = block[(c % 4 * 2 + c / 4) * 32 + k];
}

/* Block @i of a strip of B, in which its columns are rows: a row for each k. */
static inline void put_b(struct product *p, unsigned i, const u32 words[LANES])
{
	f64 *to = p->b + i * p->width * 8;
	u32 turned[LANES];

	switch (p->width) {
	case 4: turn_uint32_t(turned, words, true); break;
	case 8: turn_uint16_t(turned, words, true); break;
	case 16: turn_uint8_t(turned, words, true); break;
	default: put_b4(p->plan.b, words, to); return;
	}
	widen_block(p->plan.b, turned, to);
}

/* Adds A times the strip of B to @sum. */
static inline void multiply_strip(struct product *p, f64 *sum)
{
	multiply_exact(sum, p->a, p->b, p->plan.m8 * 8u, p->width, p->blocks);
}

#endif
