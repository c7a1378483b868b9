/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * ldmatrix, stmatrix, movmatrix. A matrix is 8 rows of 8 halves. In registers
 * lane l holds two neighbours of row l / 4: 32 words, in the order of the rows in
 * memory.
 */
#include "matrix.h"

/* Row @r of matrix @i; each row's address is in another lane. NULL after a fault. */
static inline uint8_t *row_of(struct warp *w, const struct op *ip, unsigned i, unsigned r,
			      bool write)
{
	unsigned lane = i * MATRIX_ROWS + r;
	uint64_t address = ROW(uint64_t, a)[lane] + (uint64_t)ip->imm;

	return matrix_reach(w, ip, ip->b, address, 4 * ROW_WORDS, 4 * ROW_WORDS, lane,
			    ip->c & MATRIX_SHARED, write);
}

/* Every row is loaded before a register is written, one may hold the addresses. */
static inline bool load_all(struct warp *w, const struct op *ip, uint32_t all[4][LANES])
{
	for (unsigned i = 0; i < (ip->c & MATRIX_COUNT); i++) {
		for (unsigned r = 0; r < MATRIX_ROWS; r++) {
			const uint8_t *row = row_of(w, ip, i, r, false);

			if (unlikely(!row))
				return false;
			load_words(all[i] + r * ROW_WORDS, row, ROW_WORDS);
		}
	}
	return true;
}

WORK const struct op *work_ldmatrix(struct warp *w, const struct op *ip)
{
	unsigned count = ip->c & MATRIX_COUNT;
	uint32_t all[4][LANES];

	if (unlikely(!load_all(w, ip, all)))
		return NULL;
	for (unsigned i = 0; i < count; i++) {
		if (ip->c & MATRIX_TRANS)
			turn_uint16_t(fragment_out(w, ip, i), all[i], false);
		else
			memcpy(fragment_out(w, ip, i), all[i], sizeof(all[i]));
	}
	return fragments_end(ip, count);
}
MATRIX_HANDLER(ldmatrix)

static inline bool store_all(struct warp *w, const struct op *ip)
{
	uint32_t spread[LANES], turned[LANES];

	for (unsigned i = 0; i < (ip->c & MATRIX_COUNT); i++) {
		const uint32_t *words = fragment_in(w, ip, i, spread);

		if (ip->c & MATRIX_TRANS) {
			turn_uint16_t(turned, words, false);
			words = turned;
		}
		for (unsigned r = 0; r < MATRIX_ROWS; r++) {
			uint8_t *row = row_of(w, ip, i, r, true);

			if (unlikely(!row))
				return false;
			store_words(row, words + r * ROW_WORDS, ROW_WORDS);
		}
	}
	return true;
}

WORK const struct op *work_stmatrix(struct warp *w, const struct op *ip)
{
	if (unlikely(!store_all(w, ip)))
		return NULL;
	return fragments_end(ip, ip->c & MATRIX_COUNT);
}
MATRIX_HANDLER(stmatrix)

HANDLE(movmatrix)
{
	CONVERGE;
	turn_uint16_t(ROW(uint32_t, d), ROW(uint32_t, a), false);
	NEXT;
}
