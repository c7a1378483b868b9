/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Sparse matrices: of A only half the elements are there, two of four; of s4 and
 * u4 two pairs of four, of tf32 one of two. Metadata has two bits for each, or for
 * each pair, or four for a tf32: the place among the four. A row's bits are in
 * the lanes 4 * g to 4 * g + 3 of its group, some of which the selector names.
 */
#ifndef CPU_SPARSE_H
#define CPU_SPARSE_H

#include "product.h"

enum { MOST_KEPT = 64 };

/* The k of each element that a row has. */
struct sparse {
	u8 columns[16][MOST_KEPT];
};

/*
 * The metadata of @row: of 16 and 32 bit elements halves of words, the upper one of
 * row g + 8; of smaller ones whole words, the next lane's of row g + 8.
 */
static inline uint64_t row_metadata(const struct mma_plan *plan, const u32 meta[LANES],
				    unsigned selector, unsigned row)
{
	unsigned bits = mma_bits(plan->a), k = plan->k4 * 4u;
	unsigned lane = row % 8 * 4, upper = row / 8;
	unsigned wide = bits == 32 ? 2 * k : bits == 4 ? k / 2 : k; /* bits of the row */

	if (bits < 16 && wide == 64)
		return meta[lane + upper] | (uint64_t)meta[lane + 2 + upper] << 32;
	if (bits < 16)
		return meta[lane + 2 * selector + upper];
	if (wide == 16)
		return meta[lane + selector] >> 16 * upper & 0xffff;
	lane += selector % 2 * 2;
	return (meta[lane] >> 16 * upper & 0xffff) | (meta[lane + 1] >> 16 * upper & 0xffff) << 16;
}

/* What the metadata of a row says. */
static inline void find_columns(const struct mma_plan *plan, uint64_t metadata,
				u8 columns[MOST_KEPT])
{
	unsigned bits = mma_bits(plan->a);

	for (unsigned i = 0; i < plan->k4 * 2u; i++) {
		unsigned entry = bits == 32 ? 2 * i : bits == 4 ? i / 2 : i;
		unsigned place = entry / 2 * 4 + (metadata >> 2 * entry & 3);

		columns[i] = (u8)(bits == 32 ? place / 2 : bits == 4 ? place * 2 + i % 2 : place);
	}
}

/* The metadata of the 16 rows, from the register that is fragment @at. */
static inline void sparse_find(const struct warp *w, const struct mma_plan *plan, int32_t at,
			       unsigned selector, struct sparse *sparse)
{
	u32 meta[LANES];

	for (unsigned l = 0; l < LANES; l++)
		memcpy(&meta[l], w->rows + (at & ~FRAGMENT_SLOT) +
			       (at & FRAGMENT_SLOT ? 0 : 4 * l), sizeof(meta[l]));
	for (unsigned row = 0; row < 16; row++)
		find_columns(plan, row_metadata(plan, meta, selector, row), sparse->columns[row]);
}

/* Adds to 16 rows of D each element of A times its row of the strip of B. */
static inline void multiply_kept(struct product *p, const struct sparse *sparse)
{
	for (unsigned row = 0; row < 16; row++)
		for (unsigned block = 0; block < p->blocks / 2; block++)
			multiply_sparse(p->sum + row * 8, p->a + (block * 16 + row) * p->width,
					sparse->columns[row] + block * p->width, p->b, p->width);
}

#endif
