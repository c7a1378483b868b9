/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * wmma.load, wmma.store: matrices in memory, one block of 8 rows after the
 * other. A line is a row, or a column where those are together in memory.
 */
#include "matrix.h"

enum { BLOCK_BYTES = 8 * 64 };

/* Where the matrix is; the address and the stride are those of the lowest lane. */
struct tile {
	struct wmma_plan plan;
	uint64_t base, stride; /* bytes */
	uint8_t *known;        /* where its first byte is; NULL: each line has to be found */
	unsigned lane;
	unsigned size;         /* bytes of an element; 0: less than one */
	unsigned row_bytes;    /* of a row of a block */
	unsigned lines;        /* of a block */
	unsigned line_bytes;   /* of a line of a block */
};

static inline uint32_t place_unit(const struct tile *place)
{
	return place->plan.bits == 64 ? 8 : 4;
}

/*
 * Where the first byte is if all of the matrix is in shared memory or the op's
 * struct hit, and aligned; NULL if not, or if each access is checked.
 */
static inline uint8_t *place_known(const struct warp *w, const struct op *ip,
				   const struct tile *place)
{
	const struct hit *hit = (const struct hit *)((const char *)w->hits + ip->b);
	const bool shared = place->plan.shared;
	unsigned below = place->plan.along ? place->plan.rows8 : place->plan.across;
	unsigned beside = place->plan.along ? place->plan.across : place->plan.rows8;
	uint64_t bytes = (below * place->lines - 1) * place->stride + beside * place->line_bytes;
	uint64_t size = shared ? w->shared_size : hit->size;
	uint64_t offset = place->base - (shared ? (uint64_t)w->shared : hit->base);
	uint64_t start = shared ? offset : place->base;

	if (unlikely(config.check & CHECK_KERNELS) || offset >= size || bytes > size - offset ||
	    (start | place->stride) & (place_unit(place) - 1))
		return NULL;
	return shared ? w->shared + offset : (uint8_t *)(place->base + hit->distance);
}

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
	place->size = place->plan.bits / 8u;
	place->row_bytes = place->plan.pairs ? place->plan.bits :
			   place->plan.bits == 64 ? 32 : 16;
	place->lines = place->plan.along ? 8 : place->row_bytes / place->size;
	place->line_bytes = place->plan.along ? place->row_bytes : 8 * place->size;
	place->known = place_known(w, ip, place);
}

/* A line of @bytes at @offset; NULL after a fault. */
static inline uint8_t *line_reach(struct warp *w, const struct op *ip, const struct tile *place,
				  uint64_t offset, uint32_t bytes, bool write)
{
	return matrix_reach(w, ip, ip->b, place->base + offset, bytes, place_unit(place),
			    place->lane, place->plan.shared, write);
}

/* The lines of @bytes, a constant, from @offset on, from and to memory. */
ALWAYS bool lines_load_of(struct warp *w, const struct op *ip, const struct tile *place,
			  uint64_t offset, uint8_t *lines, unsigned bytes)
{
	const uint64_t stride = place->stride;
	const unsigned count = place->lines;

	for (unsigned k = 0; k < count; k++, offset += stride) {
		const uint8_t *p = place->known ? place->known + offset :
						  line_reach(w, ip, place, offset, bytes, false);

		if (unlikely(!p))
			return false;
		load_words((uint32_t *)(lines + k * bytes), p, bytes / 4);
	}
	return true;
}

ALWAYS bool lines_store_of(struct warp *w, const struct op *ip, const struct tile *place,
			   uint64_t offset, const uint8_t *lines, unsigned bytes)
{
	const uint64_t stride = place->stride;
	const unsigned count = place->lines;

	for (unsigned k = 0; k < count; k++, offset += stride) {
		uint8_t *p = place->known ? place->known + offset :
					    line_reach(w, ip, place, offset, bytes, true);

		if (unlikely(!p))
			return false;
		store_words(p, (const uint32_t *)(lines + k * bytes), bytes / 4);
	}
	return true;
}

/* The lines of a block: number @r of them below each other, @c beside. False after a fault. */
#define LINES(name, T)                                                                     \
	static inline bool name(struct warp *w, const struct op *ip, struct tile *place,   \
				unsigned r, unsigned c, T lines)                           \
	{                                                                                  \
		unsigned below = place->plan.along ? r : c;                                \
		unsigned beside = place->plan.along ? c : r;                               \
		uint64_t offset = below * place->lines * place->stride +                   \
				  beside * place->line_bytes;                              \
                                                                                           \
		if (!place->known)                                                         \
			place->known = place_known(w, ip, place);                          \
		switch (place->line_bytes) {                                               \
		case 8: return name##_of(w, ip, place, offset, lines, 8);                  \
		case 16: return name##_of(w, ip, place, offset, lines, 16);                \
		case 32: return name##_of(w, ip, place, offset, lines, 32);                \
		default: return name##_of(w, ip, place, offset, lines, 64);                \
		}                                                                          \
	}
LINES(lines_load, uint8_t *)
LINES(lines_store, const uint8_t *)

/* @rows of @columns elements of @size bytes become columns. */
ALWAYS void turn_of(uint8_t *to, const uint8_t *from, unsigned rows, unsigned columns,
		    unsigned size)
{
	for (unsigned r = 0; r < rows; r++)
		for (unsigned c = 0; c < columns; c++)
			__builtin_memcpy(to + (c * rows + r) * size,
					 from + (r * columns + c) * size, size);
}

static inline void turn(uint8_t *to, const uint8_t *from, unsigned rows, unsigned columns,
			unsigned size)
{
	switch (size) {
	case 1: turn_of(to, from, rows, columns, 1); break;
	case 2: turn_uint16_t(to, from, false); break;
	case 4: turn_of(to, from, rows, columns, 4); break;
	default: turn_of(to, from, rows, columns, 8); break;
	}
}

/* join_T(): lane after lane, what two registers hold; split_T(): the reverse. */
#define PAIRS(T)                                                                           \
	static inline void join_##T(T pairs[2 * LANES], const T *a, const T *b)            \
	{                                                                                  \
		EACH_LANE                                                                  \
		{                                                                          \
			pairs[2 * l] = a[l];                                               \
			pairs[2 * l + 1] = b[l];                                           \
		}                                                                          \
	}                                                                                  \
	static inline void split_##T(T *a, T *b, const T pairs[2 * LANES])                 \
	{                                                                                  \
		EACH_LANE                                                                  \
		{                                                                          \
			a[l] = pairs[2 * l];                                               \
			b[l] = pairs[2 * l + 1];                                           \
		}                                                                          \
	}
PAIRS(uint32_t)
PAIRS(uint64_t)
#undef PAIRS

/* A block into register @i and, in pairs, the next one. */
static inline bool block_load(struct warp *w, const struct op *ip, struct tile *place,
			      unsigned r, unsigned c, unsigned i)
{
	uint8_t block[BLOCK_BYTES] __attribute__((aligned(64)));
	uint8_t lines[BLOCK_BYTES] __attribute__((aligned(64)));
	uint8_t *d = (uint8_t *)fragment_out(w, ip + 1, i), *e;
	bool along = place->plan.along;
	uint8_t *rows = place->plan.pairs ? block : d;

	if (unlikely(!lines_load(w, ip, place, r, c, along ? rows : lines)))
		return false;
	if (!along)
		turn(rows, lines, place->lines, 8, place->size);
	if (!place->plan.pairs)
		return true;
	e = (uint8_t *)fragment_out(w, ip + 1, i + 1);
	if (place->size == 8)
		split_uint64_t((uint64_t *)d, (uint64_t *)e, (const uint64_t *)block);
	else
		split_uint32_t((uint32_t *)d, (uint32_t *)e, (const uint32_t *)block);
	return true;
}

static inline bool blocks_load(struct warp *w, const struct op *ip, struct tile *place)
{
	unsigned i = 0;

	for (unsigned c = 0; c < place->plan.across; c++) {
		for (unsigned r = 0; r < place->plan.rows8; r++) {
			if (unlikely(!block_load(w, ip, place, r, c, i)))
				return false;
			i += place->plan.pairs ? 2 : 1;
		}
	}
	return true;
}

/* The same in the usual case: lines are rows of 16 bytes, and known. */
static inline void rows_load(struct warp *w, const struct op *ip, const struct tile *place)
{
	const uint64_t stride = place->stride;
	unsigned i = 0;

	for (unsigned c = 0; c < place->plan.across; c++) {
		const uint8_t *p = place->known + 16 * c;

		for (unsigned r = 0; r < place->plan.rows8; r++, i++, p += 8 * stride) {
			uint32_t *d = fragment_out(w, ip + 1, i);

			for (unsigned g = 0; g < 8; g++)
				load_words(d + 4 * g, p + g * stride, 4);
		}
	}
}

/* As wide as lines were stored there: a load of several stores would wait until these are done. */
static inline void register_copy(uint32_t to[LANES], const uint32_t from[LANES])
{
	for (unsigned l = 0; l < LANES; l += 4)
		store_pair(to + l, load_pair(from + l));
}

WORK const struct op *work_wmma_load(struct warp *w, const struct op *ip)
{
	struct tile place;
	unsigned filled;

	place_find(w, ip, &place);
	filled = place.plan.rows8 * place.plan.across * (place.plan.pairs ? 2 : 1);
	if (likely(place.known && place.plan.along && place.line_bytes == 16))
		rows_load(w, ip, &place);
	else if (unlikely(!blocks_load(w, ip, &place)))
		return NULL;
	for (unsigned i = filled; i < place.plan.registers; i++) /* @filled is a power of 2 */
		register_copy(fragment_out(w, ip + 1, i),
			      fragment_out(w, ip + 1, i & (filled - 1)));
	return fragments_end(ip + 1, place.plan.registers);
}
MATRIX_HANDLER(wmma_load)

/* Block @i of a sum, as rows. */
static inline void sums_get(const struct warp *w, const struct op *ip, const struct tile *place,
			    unsigned i, uint8_t *block)
{
	uint32_t spread[2][LANES];
	uint64_t spread64[2][LANES];

	if (!place->plan.pairs)
		memcpy(block, fragment_in(w, ip, i, spread[0]), sizeof(spread[0]));
	else if (place->size == 8)
		join_uint64_t((uint64_t *)block, fragment_in64(w, ip, 2 * i, spread64[0]),
			      fragment_in64(w, ip, 2 * i + 1, spread64[1]));
	else
		join_uint32_t((uint32_t *)block, fragment_in(w, ip, 2 * i, spread[0]),
			      fragment_in(w, ip, 2 * i + 1, spread[1]));
}

WORK const struct op *work_wmma_store(struct warp *w, const struct op *ip)
{
	uint8_t block[BLOCK_BYTES] __attribute__((aligned(64)));
	uint8_t lines[BLOCK_BYTES] __attribute__((aligned(64)));
	struct tile place;
	unsigned i = 0;

	place_find(w, ip, &place);
	for (unsigned c = 0; c < place.plan.across; c++) {
		for (unsigned r = 0; r < place.plan.rows8; r++, i++) {
			sums_get(w, ip + 1, &place, i, block);
			if (!place.plan.along)
				turn(lines, block, 8, place.lines, place.size);
			if (unlikely(!lines_store(w, ip, &place, r, c,
						  place.plan.along ? block : lines)))
				return NULL;
		}
	}
	return fragments_end(ip + 1, place.plan.registers);
}
MATRIX_HANDLER(wmma_store)
