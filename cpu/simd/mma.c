/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* mma and wmma.mma: products of matrices in registers. */
#include "product.h"

WORK const struct op *work_mma(struct warp *w, const struct op *ip)
{
	struct product p;
	u32 spread[LANES];

	fp_set(w, FP_RN);
	product_begin(&p, ip->imm);
	load_a(w, ip, &p, p.at_b - p.at_a);
	load_sums(w, ip, &p, 0, p.plan.m8 * p.plan.n8);
	for (unsigned n = 0; n < p.plan.n8; n++) {
		for (unsigned i = 0; i < p.blocks; i++)
			put_b(&p, i, fragment_in(w, ip, p.at_b + i * p.plan.n8 + n, spread));
		multiply_strip(&p, p.sum + n * p.plan.m8 * 2 * LANES);
	}
	store_sums(w, ip, &p, 0, p.plan.m8 * p.plan.n8);
	return fragments_end(ip, p.end);
}
MATRIX_HANDLER(mma)

/* f64: a register of two words is a block of 8 rows of 4 elements. */
static inline const f64 *double_in(const struct warp *w, const struct op *ip, unsigned i,
				   uint64_t spread[LANES])
{
	return (const f64 *)fragment_in64(w, ip, i, spread);
}

static inline void load_doubles(struct warp *w, const struct op *ip, struct product *p)
{
	uint64_t spread[2][LANES];

	for (unsigned i = 0; i < p->plan.m8 * p->blocks; i++)
		memcpy(p->a + i * LANES, double_in(w, ip, p->at_a + i, spread[0]),
		       LANES * sizeof(f64));
	for (unsigned i = 0; i < p->blocks; i++) {
		const f64 *block = double_in(w, ip, p->at_b + i, spread[0]);

		for (unsigned k = 0; k < 4; k++)
			for (unsigned c = 0; c < 8; c++)
				p->b[(i * 4 + k) * 8 + c] = block[c * 4 + k];
	}
	for (unsigned i = 0; i < p->plan.m8; i++) {
		const f64 *c = double_in(w, ip, p->at_c + 2 * i, spread[0]);
		const f64 *d = double_in(w, ip, p->at_c + 2 * i + 1, spread[1]);

		for (unsigned l = 0; l < LANES; l++) {
			p->sum[(i * LANES + l) * 2] = c[l];
			p->sum[(i * LANES + l) * 2 + 1] = d[l];
		}
	}
}

WORK const struct op *work_mma_f64(struct warp *w, const struct op *ip)
{
	static const uint32_t modes[] = { FP_RN, FP_RZ, FP_RM, FP_RP };
	struct product p;

	product_begin(&p, ip->imm);
	fp_set(w, modes[p.plan.flags & MMA_ROUNDING]);
	load_doubles(w, ip, &p);
	for (unsigned r = 0; r < p.plan.m8 * 8u; r += 4)
		multiply_f64(p.sum + r * 8, p.a + r * 4, p.b, 4, p.plan.m8 * 8u * 4, p.blocks);
	for (unsigned i = 0; i < p.plan.m8 * LANES; i++)
		for (unsigned k = 0; k < 2; k++) {
			f64 x = p.sum[2 * i + k];
			uint64_t *d = (uint64_t *)fragment_out(w, ip, i / LANES * 2 + k);

			d[i % LANES] = x == x ? f64_bits(x) : F64_NAN;
		}
	return fragments_end(ip, p.end);
}
MATRIX_HANDLER(mma_f64)

/* Bits: how many of a row of A and a column of B are both set, or differ. */
static inline void count_row(const struct mma_plan *plan, const u32 *a, const u32 *b,
			     unsigned words, u32 sum[8])
{
	for (unsigned k = 0; k < words; k++) {
		u32 x = a[k / 4 * plan->m8 * LANES + k % 4];
		bool and = plan->flags & MMA_AND;

		for (unsigned n = 0; n < 8; n++)
			sum[n] += count_bits(and ? x & b[k * 8 + n] : x ^ b[k * 8 + n]);
	}
}

WORK const struct op *work_mma_b1(struct warp *w, const struct op *ip)
{
	struct product p;
	u32 a[4 * LANES], b[8 * 8], sum[4 * LANES], spread[LANES];

	product_begin(&p, ip->imm);
	for (unsigned i = 0; i < p.plan.m8 * p.blocks; i++)
		memcpy(a + i * LANES, fragment_in(w, ip, p.at_a + i, spread), sizeof(spread));
	for (unsigned i = 0; i < p.blocks; i++) {
		const u32 *words = fragment_in(w, ip, p.at_b + i, spread);

		for (unsigned l = 0; l < LANES; l++)
			b[(i * 4 + l % 4) * 8 + l / 4] = words[l];
	}
	for (unsigned i = 0; i < 2u * p.plan.m8; i++) {
		const u32 *c = fragment_in(w, ip, p.at_c + i, spread);

		for (unsigned l = 0; l < LANES; l++)
			sum[i / 2 * 2 * LANES + 2 * l + i % 2] = c[l];
	}
	for (unsigned r = 0; r < p.plan.m8 * 8u; r++)
		count_row(&p.plan, a + r * 4, b, p.blocks * 4, sum + r * 8);
	for (unsigned i = 0; i < 2u * p.plan.m8; i++)
		for (unsigned l = 0; l < LANES; l++)
			fragment_out(w, ip, i)[l] = sum[i / 2 * 2 * LANES + 2 * l + i % 2];
	return fragments_end(ip, p.end);
}
MATRIX_HANDLER(mma_b1)

/*
 * m8n8k4 of halves: four products in one op. The lanes l with the same l / 4 % 4
 * have one, the upper ones rows or columns 4 to 7.
 */
static inline void quad_place(unsigned lane, unsigned i, bool along, unsigned *row,
			      unsigned *column)
{
	unsigned upper = lane / 16 * 4;

	*row = along ? lane % 4 + upper : i + upper;
	*column = along ? i : lane % 4;
}

/* Where element @i of C or D is, as halves or as f32. */
static inline unsigned quad_sum(unsigned lane, unsigned i, bool real)
{
	unsigned row = lane % 4, column = i;

	if (real) {
		row = (lane & 1) + (i & 2);
		column = (i & 4) + (lane & 2) + (i & 1);
	}
	return (row + lane / 16 * 4) * 8 + column;
}

/* The products' matrices: A by rows, B by columns, 4 elements each; sums by rows. */
struct quads {
	f64 a[4][8][4], b[4][8][4], sum[4][64];
};

static inline void load_quads(struct warp *w, const struct op *ip, const struct product *p,
			      struct quads *q)
{
	u32 spread[LANES];
	unsigned row, column;

	for (unsigned i = 0; i < 4; i++) {
		const u32 *a = fragment_in(w, ip, p->at_a + i / 2, spread);

		for (unsigned l = 0; l < LANES; l++) {
			quad_place(l, i, !(p->plan.flags & MMA_A_COL), &row, &column);
			q->a[l / 4 % 4][row][column] = wide_f16((u16)(a[l] >> i % 2 * 16));
		}
		a = fragment_in(w, ip, p->at_b + i / 2, spread);
		for (unsigned l = 0; l < LANES; l++) {
			quad_place(l, i, !(p->plan.flags & MMA_B_ROW), &row, &column);
			q->b[l / 4 % 4][row][column] = wide_f16((u16)(a[l] >> i % 2 * 16));
		}
	}
	for (unsigned i = 0; i < 8; i++) {
		bool real = p->plan.c == MMA_F32;
		const u32 *c = fragment_in(w, ip, p->at_c + (real ? i : i / 2), spread);

		for (unsigned l = 0; l < LANES; l++)
			q->sum[l / 4 % 4][quad_sum(l, i, real)] =
				real ? bits_f32(c[l]) : wide_f16((u16)(c[l] >> i % 2 * 16));
	}
}

static inline void store_quads(struct warp *w, const struct op *ip, const struct product *p,
			       const struct quads *q)
{
	for (unsigned l = 0; l < LANES; l++) {
		const f64 *sum = q->sum[l / 4 % 4];

		for (unsigned i = 0; i < 8; i++) {
			if (p->plan.d == MMA_F32)
				fragment_out(w, ip, i)[l] = narrow_f32(sum[quad_sum(l, i, true)]);
			else if (i % 2)
				fragment_out(w, ip, i / 2)[l] = pair_b32(
					f16_from_f64(sum[quad_sum(l, i - 1, false)], ROUND_RN),
					f16_from_f64(sum[quad_sum(l, i, false)], ROUND_RN));
		}
	}
}

WORK const struct op *work_mma_quads(struct warp *w, const struct op *ip)
{
	struct product p = { .plan = mma_unpack(ip->imm) };
	struct quads q;

	fp_set(w, FP_RN);
	p.at_a = p.plan.d == MMA_F32 ? 8 : 4;
	p.at_b = p.at_a + 2;
	p.at_c = p.at_b + 2;
	p.end = p.at_c + (p.plan.c == MMA_F32 ? 8 : 4);
	load_quads(w, ip, &p, &q);
	for (unsigned i = 0; i < 4 * 64; i++)
		for (unsigned k = 0; k < 4; k++)
			q.sum[i / 64][i % 64] += q.a[i / 64][i / 8 % 8][k] * q.b[i / 64][i % 8][k];
	store_quads(w, ip, &p, &q);
	return fragments_end(ip, p.end);
}
MATRIX_HANDLER(mma_quads)
