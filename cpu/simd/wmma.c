/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * wmma.load, wmma.store: matrices in memory, one block of 8 rows after the
 * other, a row, or a column where those are together in memory, at a time.
 */
#include "matrix.h"

enum { BLOCK_BYTES = 8 * 64 };

/* Where the matrix is; @address and the stride are those of the lowest lane. */
struct tile {
	struct wmma_plan plan;
	uint64_t base, stride; /* bytes */
	unsigned lane;
	unsigned row_bytes;    /* of a row of a block */
};

static inline void place_find(const struct warp *w, const struct op *ip,
			      struct tile *place)
{
	unsigned lane = (unsigned)__builtin_ctz(w->mask);
	const uint8_t *stride = w->rows + (ip->c & ~FRAGMENT_SLOT);
	uint32_t elements;

	memcpy(&elements, stride + (ip->c & FRAGMENT_SLOT ? 0 : 4 * lane), sizeof(elements));
	place->plan = wmma_unpack(ip[1].imm);
	place->lane = lane;
	place->base = ROW(uint64_t, a)[lane] + (uint64_t)ip->imm;
	place->stride = (uint64_t)elements * place->plan.bits / 8;
	place->row_bytes = place->plan.pairs ? place->plan.bits :
			   place->plan.bits == 64 ? 32 : 16;
}

/* @size bytes of the matrix; NULL after a fault. */
static inline uint8_t *place_reach(struct warp *w, const struct op *ip,
				   const struct tile *place, uint64_t offset,
				   uint32_t size, bool write)
{
	uint32_t unit = place->plan.bits == 64 ? 8 : 4;

	return matrix_reach(w, ip, ip->b, place->base + offset, size, unit, place->lane,
			    place->plan.shared, write);
}

/* A column's 8 elements of @size bytes into or out of a block's rows. */
static inline void column_put(uint8_t *block, unsigned row_bytes, const uint8_t *column,
			      unsigned size)
{
	for (unsigned g = 0; g < 8; g++)
		for (unsigned k = 0; k < size; k++)
			block[g * row_bytes + k] = column[g * size + k];
}

static inline void column_get(const uint8_t *block, unsigned row_bytes, uint8_t *column,
			      unsigned size)
{
	for (unsigned g = 0; g < 8; g++)
		for (unsigned k = 0; k < size; k++)
			column[g * size + k] = block[g * row_bytes + k];
}

/* Block @i as rows, from memory. */
static inline bool block_load(struct warp *w, const struct op *ip,
			      const struct tile *place, unsigned i, uint8_t *block)
{
	unsigned r = i % place->plan.rows8, c = i / place->plan.rows8;
	unsigned size = place->plan.bits / 8u, columns = size ? place->row_bytes / size : 0;
	uint32_t column[16];

	for (unsigned g = 0; place->plan.along && g < 8; g++) {
		const uint8_t *p = place_reach(w, ip, place, (8 * r + g) * place->stride +
					       c * place->row_bytes, place->row_bytes, false);

		if (unlikely(!p))
			return false;
		load_words((uint32_t *)(block + g * place->row_bytes), p, place->row_bytes / 4);
	}
	for (unsigned k = 0; !place->plan.along && k < columns; k++) {
		const uint8_t *p = place_reach(w, ip, place, (c * columns + k) * place->stride +
					       8 * r * size, 8 * size, false);

		if (unlikely(!p))
			return false;
		load_words(column, p, 2 * size);
		column_put(block + k * size, place->row_bytes, (const uint8_t *)column, size);
	}
	return true;
}

static inline bool block_store(struct warp *w, const struct op *ip,
			       const struct tile *place, unsigned i, const uint8_t *block)
{
	unsigned r = i % place->plan.rows8, c = i / place->plan.rows8;
	unsigned size = place->plan.bits / 8u, columns = place->row_bytes / size;
	uint32_t column[16];

	for (unsigned g = 0; place->plan.along && g < 8; g++) {
		uint8_t *p = place_reach(w, ip, place, (8 * r + g) * place->stride +
					 c * place->row_bytes, place->row_bytes, true);

		if (unlikely(!p))
			return false;
		store_words(p, (const uint32_t *)(block + g * place->row_bytes),
			    place->row_bytes / 4);
	}
	for (unsigned k = 0; !place->plan.along && k < columns; k++) {
		uint8_t *p = place_reach(w, ip, place, (c * columns + k) * place->stride +
					 8 * r * size, 8 * size, true);

		if (unlikely(!p))
			return false;
		column_get(block + k * size, place->row_bytes, (uint8_t *)column, size);
		store_words(p, column, 2 * size);
	}
	return true;
}

/* Registers @at and, in pairs, the next one, from a block. */
static inline void registers_put(struct warp *w, const struct op *ip,
				 const struct tile *place, unsigned at,
				 const uint8_t *block)
{
	unsigned size = place->plan.bits == 64 ? 8 : 4;
	uint8_t *d = w->rows + fragment_at(ip, at), *e;

	if (!place->plan.pairs) {
		memcpy(d, block, LANES * size);
		return;
	}
	e = w->rows + fragment_at(ip, at + 1);
	for (unsigned l = 0; l < LANES; l++) {
		memcpy(d + l * size, block + 2 * l * size, size);
		memcpy(e + l * size, block + (2 * l + 1) * size, size);
	}
}

static inline void register_get(const struct warp *w, const struct op *ip, unsigned at,
				unsigned size, unsigned step, uint8_t *block)
{
	int32_t offset = fragment_at(ip, at);
	bool same = offset & FRAGMENT_SLOT;
	const uint8_t *from = w->rows + (offset & ~FRAGMENT_SLOT);

	for (unsigned l = 0; l < LANES; l++)
		memcpy(block + l * step, from + (same ? 0 : l * size), size);
}

WORK const struct op *work_wmma_load(struct warp *w, const struct op *ip)
{
	uint8_t block[BLOCK_BYTES] __attribute__((aligned(64)));
	struct tile place;
	unsigned blocks, filled;

	place_find(w, ip, &place);
	blocks = place.plan.rows8 * place.plan.across;
	filled = blocks * (place.plan.pairs ? 2 : 1);
	for (unsigned i = 0; i < place.plan.registers; i++) {
		if (i >= filled) {
			memcpy(fragment_out(w, ip + 1, i), fragment_out(w, ip + 1, i % filled),
			       LANES * 4);
		} else if (!(place.plan.pairs && i % 2)) {
			unsigned which = place.plan.pairs ? i / 2 : i;

			if (unlikely(!block_load(w, ip, &place, which, block)))
				return NULL;
			registers_put(w, ip + 1, &place, i, block);
		}
	}
	return fragments_end(ip + 1, place.plan.registers);
}
MATRIX_HANDLER(wmma_load)

WORK const struct op *work_wmma_store(struct warp *w, const struct op *ip)
{
	uint8_t block[BLOCK_BYTES] __attribute__((aligned(64)));
	struct tile place;
	unsigned size;

	place_find(w, ip, &place);
	size = place.plan.bits == 64 ? 8 : 4;
	for (unsigned i = 0; i < place.plan.rows8 * place.plan.across; i++) {
		if (place.plan.pairs) {
			register_get(w, ip + 1, 2 * i, size, 2 * size, block);
			register_get(w, ip + 1, 2 * i + 1, size, 2 * size, block + size);
		} else {
			register_get(w, ip + 1, i, size, size, block);
		}
		if (unlikely(!block_store(w, ip, &place, i, block)))
			return NULL;
	}
	return fragments_end(ip + 1, place.plan.registers);
}
MATRIX_HANDLER(wmma_store)
