/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * wgmma.mma_async: complete when it is issued. Each warp of the four has its own
 * 16 rows of A and D. A descriptor says where a matrix is in shared memory, in
 * rows of 16 bytes:
 *
 *   bits 0-13   where it starts, in units of 16 bytes, as the following two
 *   bits 16-29  leading offset: without swizzle, to the next 16 bytes of k; with
 *               m or n contiguous and swizzled, to the next span of m or n
 *   bits 32-45  stride offset: to the next 8 rows of m or n; with m or n contiguous
 *               and swizzled, to the next 8 of k
 *   bits 49-51  where in a pattern of 8 rows of 128 bytes the swizzle begins
 *   bits 62-63  swizzle: none, 128, 64 or 32 bytes, the span from row to row
 */
#include "sparse.h"

struct source {
	uint32_t start, lead, stride, span;
	uint32_t base, mask; /* of the swizzle */
	unsigned lane;
};

static inline void source_find(const struct warp *w, int32_t at, struct source *s)
{
	static const uint8_t spans[] = { 16, 128, 64, 32 };
	unsigned lane = (unsigned)__builtin_ctz(w->mask);
	uint64_t bits;

	memcpy(&bits, w->rows + (at & ~FRAGMENT_SLOT) + (at & FRAGMENT_SLOT ? 0 : 8 * lane),
	       sizeof(bits));
	s->start = (bits & 0x3fff) << 4;
	s->lead = (bits >> 16 & 0x3fff) << 4;
	s->stride = (bits >> 32 & 0x3fff) << 4;
	s->span = spans[bits >> 62];
	s->base = bits >> 49 & 7;
	s->mask = s->span / 16 - 1;
	s->lane = lane;
}

/* The 16 bytes @offset from where the matrix starts, before swizzling. False after a fault. */
static inline bool load_chunk(struct warp *w, const struct op *ip, const struct source *s,
			      uint32_t offset, u32 *words)
{
	uint32_t linear = (s->start + offset) & 0x3ffff;
	uint32_t at = linear ^ (((linear >> 7) - s->base) & s->mask) << 4;
	const uint8_t *p = matrix_reach(w, ip, 0, (uint64_t)w->shared + at, 16, 16, s->lane, true,
					false);

	if (unlikely(!p))
		return false;
	load_words(words, p, 4);
	return true;
}

/* 8 rows of m or n from 8 * @r on, 16 bytes of k each, number @part of them. */
static inline bool load_rows(struct warp *w, const struct op *ip, const struct source *s,
			     unsigned r, unsigned part, u32 words[LANES])
{
	uint32_t along = part * 16, beyond = along / s->span * s->lead;
	uint32_t at = r * s->stride + beyond + along % s->span;

	for (unsigned g = 0; g < 8; g++)
		if (unlikely(!load_chunk(w, ip, s, at + g * s->span, words + 4 * g)))
			return false;
	return true;
}

/* 8 of k, 8 halves of m or n each, from 8 * @r on. */
static inline bool load_columns(struct warp *w, const struct op *ip, const struct source *s,
				unsigned r, unsigned part, u32 words[LANES])
{
	uint32_t chunks = s->mask + 1;
	uint32_t at = r % chunks * 16 + r / chunks * (s->mask ? s->lead : s->stride) +
		      part * (s->mask ? s->stride : s->lead);

	for (unsigned k = 0; k < 8; k++)
		if (unlikely(!load_chunk(w, ip, s, at + k * s->span, words + 4 * k)))
			return false;
	return true;
}

/* The same as rows of m or n, whichever is contiguous; @trans: not k. */
static inline bool load_block(struct warp *w, const struct op *ip, const struct source *s,
			      unsigned r, unsigned part, bool trans, u32 words[LANES])
{
	u32 columns[LANES];

	if (!trans)
		return load_rows(w, ip, s, r, part, words);
	if (unlikely(!load_columns(w, ip, s, r, part, columns)))
		return false;
	turn_uint16_t(words, columns, false);
	return true;
}

/* Block @i of this warp's rows of A, from shared memory. */
static inline bool load_a_block(struct warp *w, const struct op *ip, const struct source *s,
				unsigned i, u32 words[LANES])
{
	return load_block(w, ip, s, w->index % 4 * 2 + i % 2, i / 2, ip->c & WGMMA_TRANS_A,
			  words);
}

static inline bool load_all_a(struct warp *w, const struct op *ip, struct product *p)
{
	struct source s;
	u32 words[LANES];

	if (ip->c & WGMMA_REGISTERS) {
		load_a(w, ip, p, 4);
	} else {
		source_find(w, ip->a, &s);
		for (unsigned i = 0; i < 4; i++) {
			if (unlikely(!load_a_block(w, ip, &s, i, words)))
				return false;
			widen_block(p->plan.a, words, p->a + i * BLOCK_ROWS * p->width);
		}
	}
	for (unsigned i = 0; ip->c & WGMMA_NEGATE && i < 4 * 8 * p->width; i++)
		p->a[i] = -p->a[i];
	return true;
}

static inline bool load_b_strip(struct warp *w, const struct op *ip, const struct source *s,
				struct product *p, unsigned n)
{
	u32 words[LANES];

	for (unsigned part = 0; part < p->blocks; part++) {
		if (unlikely(!load_block(w, ip, s, n, part, ip->c & WGMMA_TRANS_B, words)))
			return false;
		put_b(p, part, words);
	}
	return true;
}

/* Whether to add to D: the predicate of the lowest lane. */
static inline bool accumulates(const struct warp *w, const struct op *ip)
{
	return PRED(d) >> __builtin_ctz(w->mask) & 1;
}

WORK const struct op *work_wgmma(struct warp *w, const struct op *ip)
{
	bool is_sparse = ip->c & WGMMA_SPARSE;
	struct product p;
	struct source b;
	struct sparse sparse;

	fp_set(w, FP_RN);
	product_begin(&p, ip->imm);
	p.at_c = 0;
	p.end = p.at_a + (ip->c & WGMMA_REGISTERS ? 4 : 0);
	source_find(w, ip->b, &b);
	if (is_sparse)
		sparse_find(w, &p.plan, fragment_at(ip, p.end), ip->c & WGMMA_SELECTOR ? 1 : 0,
			    &sparse);
	if (unlikely(!load_all_a(w, ip, &p)))
		return NULL;
	for (unsigned n = 0; n < p.plan.n8; n++) {
		if (unlikely(!load_b_strip(w, ip, &b, &p, n)))
			return NULL;
		if (accumulates(w, ip))
			load_sums(w, ip, &p, 2 * n, 2 * n + 2);
		else
			memset(p.sum, 0, 128 * sizeof(f64));
		if (is_sparse)
			multiply_kept(&p, &sparse);
		else
			multiply_strip(&p, p.sum);
		store_sums(w, ip, &p, 2 * n, 2 * n + 2);
	}
	return fragments_end(ip, p.end + is_sparse);
}
MATRIX_HANDLER(wgmma)

/* Bits: blocks of 8 rows of 128. */
static inline bool load_bits(struct warp *w, const struct op *ip, unsigned at_a, u32 a[4][LANES])
{
	struct source s;
	u32 spread[LANES];

	if (ip->c & WGMMA_REGISTERS) {
		for (unsigned i = 0; i < 4; i++)
			memcpy(a[i], fragment_in(w, ip, at_a + i, spread), sizeof(a[i]));
		return true;
	}
	source_find(w, ip->a, &s);
	for (unsigned i = 0; i < 4; i++)
		if (unlikely(!load_a_block(w, ip, &s, i, a[i])))
			return false;
	return true;
}

WORK const struct op *work_wgmma_b1(struct warp *w, const struct op *ip)
{
	struct mma_plan plan = mma_unpack(ip->imm);
	unsigned count = plan.n8 * 4u;
	u32 a[4][LANES], b[2][LANES];
	struct source s;

	source_find(w, ip->b, &s);
	if (unlikely(!load_bits(w, ip, count, a)))
		return NULL;
	for (unsigned n = 0; n < plan.n8; n++) {
		if (unlikely(!load_rows(w, ip, &s, n, 0, b[0]) ||
			     !load_rows(w, ip, &s, n, 1, b[1])))
			return NULL;
		for (unsigned i = 0; i < 4; i++) {
			u32 *d = fragment_out(w, ip, 4 * n + i);

			for (unsigned l = 0; l < LANES; l++) {
				unsigned column = l % 4 * 2 + i % 2;
				u32 sum = accumulates(w, ip) ? d[l] : 0;

				for (unsigned k = 0; k < 8; k++)
					sum += count_bits(a[k / 4 * 2 + i / 2][l / 4 * 4 + k % 4] &
							  b[k / 4][column * 4 + k % 4]);
				d[l] = sum;
			}
		}
	}
	return fragments_end(ip, count + (ip->c & WGMMA_REGISTERS ? 4 : 0));
}
MATRIX_HANDLER(wgmma_b1)
