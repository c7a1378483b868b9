/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Loads and stores. Every access is checked: a warp whose lanes access one
 * contiguous run of memory, or all the same address, one time; lanes that stay
 * in the op's struct hit, by vectors; others one by one. Single elements are
 * relaxed atomic accesses: races of kernels are not races of ours.
 */
#include "simd.h"
#include "vector.h"

enum memory_form { FLAT_R8, FLAT_S, SHARED_R8, SHARED_R4, SHARED_S };

ALWAYS bool is_shared(enum memory_form form)
{
	return form >= SHARED_R8;
}

/* Where @size bytes at @address are; NULL: reach() has to find them. @unit: the alignment. */
ALWAYS uint8_t *reach_known(const struct warp *w, const struct op *ip, enum memory_form form,
			    uint64_t address, uint32_t size, uint32_t unit)
{
	const struct hit *hit = (const struct hit *)((const char *)w->hits + ip->b);

	if (is_shared(form))
		return likely(address < w->shared_size && size <= w->shared_size - address &&
			      !(address & (unit - 1))) ?
			       w->shared + address :
			       NULL;
	return likely(address - hit->base < hit->size &&
		      size <= hit->size - (address - hit->base) && !(address & (unit - 1))) ?
		       (uint8_t *)(address + hit->distance) :
		       NULL;
}

/* The same, or NULL after a fault. */
ALWAYS uint8_t *reach(struct warp *w, const struct op *ip, enum memory_form form,
		      uint64_t address, uint32_t size, uint32_t unit, unsigned lane, bool write)
{
	uint8_t *known = reach_known(w, ip, form, address, size, unit);
	struct hit *hit = (struct hit *)((char *)w->hits + ip->b);

	if (likely(known))
		return known;
	if (is_shared(form))
		return memory_shared_reach(w, ip, address, size, unit, lane, write);
	if (!memory_reach(w, ip, hit, address, size, unit, lane, write))
		return NULL;
	return (uint8_t *)(address + hit->distance);
}

ALWAYS uint64_t lane_address(struct warp *w, const struct op *ip, enum memory_form form,
			     unsigned l)
{
	if (form == SHARED_R4)
		return (uint32_t)(ROW(uint32_t, a)[l] + (uint32_t)ip->imm);
	if (form == SHARED_S && ip->c) /* an address of 32 bits */
		return (uint32_t)(SLOT(uint32_t, a) + (uint32_t)ip->imm);
	if (form == FLAT_S || form == SHARED_S)
		return SLOT(uint64_t, a) + (uint64_t)ip->imm;
	return ROW(uint64_t, a)[l] + (uint64_t)ip->imm;
}

/* Whether the addresses of all 32 lanes are @step bytes apart. */
ALWAYS bool strided(struct warp *w, const struct op *ip, enum memory_form form, uint32_t step)
{
	if (form == SHARED_R4) {
		const uint32_t *a = ROW(uint32_t, a);
		uint32_t x = 0;

		for (uint32_t l = 0; l < LANES; l++)
			x |= a[l] ^ (a[0] + step * l);
		return !x;
	}
	if (form == FLAT_R8 || form == SHARED_R8) {
		const uint64_t *a = ROW(uint64_t, a);
		uint64_t x = 0;

		for (uint64_t l = 0; l < LANES; l++)
			x |= a[l] ^ (a[0] + step * l);
		return !x;
	}
	return step == 0;
}

/* Pieces of so many lanes may have breaks at these lanes. */
#define BREAKS_OF_16 0x00008000u
#define BREAKS_OF_8  0x00808080u
#define BREAKS_OF_4  0x08888888u
enum {
	MOST_PIECES = LANES / 4,
	MANY = 8, /* lanes */
};

/* Bit l: the element of lane l + 1 is not @step bytes after that of lane l. */
#define BREAKS(T)                                                                          \
	ALWAYS T breaks_##T(const T *at, T step, const T *bits)                            \
	{                                                                                  \
		T x = 0;                                                                   \
                                                                                           \
		/* two loops, since vectors have no 31 elements */                         \
		for (int l = 0; l < 24; l++)                                               \
			x |= at[l + 1] - at[l] != step ? bits[l] : 0;                      \
		for (int l = 23; l < 31; l++)                                              \
			x |= at[l + 1] - at[l] != step ? bits[l] : 0;                      \
		return x;                                                                  \
	}
BREAKS(uint32_t)
BREAKS(uint64_t)

ALWAYS uint32_t breaks(struct warp *w, const struct op *ip, enum memory_form form, uint32_t step)
{
	if (form == SHARED_R4)
		return breaks_uint32_t(ROW(uint32_t, a), step, lane_bits32);
	return (uint32_t)breaks_uint64_t(ROW(uint64_t, a), step, lane_bits64);
}

/*
 * The elements of all 32 lanes are in pieces of memory, each of @lanes lanes and @size bytes.
 * False: not all of it is in the op's struct hit.
 */
ALWAYS bool pieces_known(struct warp *w, const struct op *ip, enum memory_form form,
			 unsigned width, uint32_t size, unsigned lanes, uint8_t *at[MOST_PIECES])
{
	for (unsigned i = 0; i < LANES / lanes; i++) {
		at[i] = reach_known(w, ip, form, lane_address(w, ip, form, i * lanes), size, width);
		if (unlikely(!at[i]))
			return false;
	}
	return true;
}

/* In a piece they follow each other, or, where @step is 0, are all in one place. */
ALWAYS bool load_pieces(struct warp *w, const struct op *ip, enum memory_form form,
			unsigned width, uint8_t *row, uint32_t step, unsigned lanes)
{
	uint8_t *from[MOST_PIECES];

	if (!pieces_known(w, ip, form, width, (lanes - 1) * step + width, lanes, from))
		return false;
	for (unsigned i = 0; i < LANES / lanes; i++)
		if (step)
			__builtin_memcpy(row + i * lanes * width, from[i], lanes * width);
		else
			for (unsigned l = 0; l < lanes; l++)
				__builtin_memcpy(row + (i * lanes + l) * width, from[i], width);
	return true;
}

ALWAYS bool store_pieces(struct warp *w, const struct op *ip, enum memory_form form,
			 unsigned width, const uint8_t *row, unsigned lanes)
{
	uint8_t *to[MOST_PIECES];

	if (!pieces_known(w, ip, form, width, lanes * width, lanes, to))
		return false;
	for (unsigned i = 0; i < LANES / lanes; i++)
		__builtin_memcpy(to[i], row + i * lanes * width, lanes * width);
	return true;
}

/* Ends a function with the result of @pieces for the longest pieces that @broken, by breaks(),
 * allows; with false where it allows none. */
#define TRY_PIECES(broken, pieces, ...)                                                    \
	do {                                                                               \
		if (!((broken) & ~BREAKS_OF_16))                                           \
			return pieces(__VA_ARGS__, 16);                                    \
		if (!((broken) & ~BREAKS_OF_8))                                            \
			return pieces(__VA_ARGS__, 8);                                     \
		if (!((broken) & ~BREAKS_OF_4))                                            \
			return pieces(__VA_ARGS__, 4);                                     \
		return false;                                                              \
	} while (0)

/* Blocks of 16x16 and 8x8 threads load this way. */
ALWAYS bool try_load_pieces(struct warp *w, const struct op *ip, enum memory_form form,
			    unsigned width, uint8_t *row, uint32_t step, uint32_t broken)
{
	if (step)
		TRY_PIECES(broken, load_pieces, w, ip, form, width, row, width);
	TRY_PIECES(broken, load_pieces, w, ip, form, width, row, 0);
}

ALWAYS bool try_store_pieces(struct warp *w, const struct op *ip, enum memory_form form,
			     unsigned width, const uint8_t *row)
{
	const uint32_t broken = breaks(w, ip, form, width);

	TRY_PIECES(broken, store_pieces, w, ip, form, width, row);
}

/*
 * Sets @at of the lanes that run to where their elements are, in bytes from what is returned, and
 * of others to 0. NULL if one of them is not in the op's struct hit, or not aligned, or if they
 * are so few that one by one is faster.
 */
ALWAYS uint8_t *places_known(struct warp *w, const struct op *ip, enum memory_form form,
			     uint32_t size, uint64_t at[LANES])
{
	const struct hit *hit = (const struct hit *)((const char *)w->hits + ip->b);
	const uint64_t base = is_shared(form) ? 0 : hit->base;
	const uint64_t last = (is_shared(form) ? w->shared_size : hit->size) - size;
	const uint64_t mask = w->mask;
	uint64_t out = last; /* its sign says that a place is beyond @last, which has none */
	uint64_t low = base;

	if (__builtin_popcount(w->mask) < MANY)
		return NULL;
	for (uint32_t l = 0; l < LANES; l++) {
		uint64_t place = lane_address(w, ip, form, l) - base;

		place = lane_bits64[l] & mask ? place : 0;
		at[l] = place;
		out |= place | (last - place);
		low |= place;
	}
	if ((int64_t)out < 0 || low & (size - 1))
		return NULL;
	return is_shared(form) ? w->shared : (uint8_t *)(base + hit->distance);
}

/* Loads the elements at @at from @base on. */
ALWAYS void gather(struct warp *w, uint8_t *rows[4], const uint8_t *base,
		   const uint64_t at[LANES], unsigned width, unsigned count)
{
	if (w->mask == ~0u) {
		for (unsigned l = 0; l < LANES; l++)
			load_vector(rows, l, base + at[l], width, count);
		return;
	}
	EACH_ACTIVE load_vector(rows, l, base + at[l], width, count);
}

/* Stores them, lane after lane: of several that store to one place the last one wins. */
ALWAYS void scatter(struct warp *w, uint8_t *rows[4], uint8_t *base, const uint64_t at[LANES],
		    unsigned width, unsigned count)
{
	EACH_ACTIVE store_vector(rows, l, base + at[l], width, count);
}

/* One address for all lanes: loaded one time. */
ALWAYS bool load_same(struct warp *w, const struct op *ip, enum memory_form form,
		      unsigned width, unsigned count, uint8_t *rows[4])
{
	unsigned first = (unsigned)__builtin_ctz(w->mask);
	const uint8_t *p = reach(w, ip, form, lane_address(w, ip, form, first), width * count,
				 width * count, first, false);

	uint64_t element[4];
	uint8_t *elements[4] = { (uint8_t *)element, (uint8_t *)(element + 1),
				 (uint8_t *)(element + 2), (uint8_t *)(element + 3) };

	if (!p)
		return false;
	load_vector(elements, 0, p, width, count);
	for (unsigned k = 0; k < count; k++) {
		const uint64_t v = element[k];

		if (width == 8)
			BLEND(uint64_t, ((uint64_t *)rows[k]), v);
		else if (width == 4)
			BLEND(uint32_t, ((uint32_t *)rows[k]), (uint32_t)v);
		else
			EACH_ACTIVE __builtin_memcpy(rows[k] + l * width, &v, width);
	}
	return true;
}

/* Puts the elements at @p into the slots of @ip's results. */
ALWAYS void fill_slots(struct warp *w, const struct op *ip, const uint8_t *p, unsigned width,
		       unsigned count)
{
	uint8_t *rows[4];

	element_rows(w, ip, count, rows);
	for (unsigned k = 0; k < count; k++)
		*(uint64_t *)rows[k] = 0;
	load_vector(rows, 0, p, width, count);
}

/* Likewise, into slots. */
ALWAYS bool load_slot(struct warp *w, const struct op *ip, enum memory_form form,
		      unsigned width, unsigned count)
{
	unsigned first = (unsigned)__builtin_ctz(w->mask);
	const uint8_t *p = reach(w, ip, form, lane_address(w, ip, form, first), width * count,
				 width * count, first, false);

	if (unlikely(!p))
		return false;
	fill_slots(w, ip, p, width, count);
	return true;
}

ALWAYS bool load(struct warp *w, const struct op *ip, enum memory_form form, unsigned width,
		 unsigned count)
{
	const uint32_t size = width * count;
	const uint8_t *base;
	uint64_t at[LANES];
	uint8_t *rows[4];

	element_rows(w, ip, count, rows);
	if (form == FLAT_S || form == SHARED_S)
		return load_same(w, ip, form, width, count, rows);
	if (likely(w->mask == ~0u)) {
		uint64_t first = lane_address(w, ip, form, 0);
		uint64_t step = lane_address(w, ip, form, 1) - first;

		if (BULK && step == size && strided(w, ip, form, size)) {
			const uint8_t *run = reach(w, ip, form, first, LANES * size, size, 0,
						   false);

			if (run)
				spread(rows, run, width, count);
			return run;
		}
		if (step == 0 || (BULK && count == 1 && step == size)) {
			uint32_t broken = breaks(w, ip, form, (uint32_t)step);

			if (!broken)
				return load_same(w, ip, form, width, count, rows);
			if (BULK && count == 1 &&
			    try_load_pieces(w, ip, form, width, rows[0], (uint32_t)step, broken))
				return true;
		}
	}
	base = places_known(w, ip, form, size, at);
	if (likely(base)) {
		gather(w, rows, base, at, width, count);
		return true;
	}
	EACH_ACTIVE
	{
		const uint8_t *p = reach(w, ip, form, lane_address(w, ip, form, l), size, size,
					 l, false);

		if (unlikely(!p))
			return false;
		load_vector(rows, l, p, width, count);
	}
	return true;
}

ALWAYS bool store(struct warp *w, const struct op *ip, enum memory_form form, unsigned width,
		  unsigned count)
{
	const uint32_t size = width * count;
	uint64_t at[LANES];
	uint8_t *rows[4], *base;

	element_rows(w, ip, count, rows);
	if (BULK && likely(w->mask == ~0u) && form != FLAT_S && form != SHARED_S) {
		uint64_t first = lane_address(w, ip, form, 0);
		uint64_t step = lane_address(w, ip, form, 1) - first;

		if (step == size && strided(w, ip, form, size)) {
			uint8_t *run = reach(w, ip, form, first, LANES * size, size, 0, true);

			if (run)
				collect(rows, run, width, count);
			return run;
		}
		if (count == 1 && step == size &&
		    try_store_pieces(w, ip, form, width, rows[0]))
			return true;
	}
	base = places_known(w, ip, form, size, at);
	if (likely(base)) {
		scatter(w, rows, base, at, width, count);
		return true;
	}
	EACH_ACTIVE
	{
		uint8_t *p = reach(w, ip, form, lane_address(w, ip, form, l), size, size, l, true);

		if (unlikely(!p))
			return false;
		store_vector(rows, l, p, width, count);
	}
	return true;
}

/*
 * The usual cases of the above, for handlers that need no frame for them: all of it is in the
 * op's struct hit. False: it is not, and nothing is done.
 */

/* The run of memory that all 32 lanes access; NULL when it is none. */
ALWAYS uint8_t *known_run(struct warp *w, const struct op *ip, enum memory_form form,
			  uint32_t size)
{
	uint64_t first;

	if (!BULK || unlikely(w->mask != ~0u))
		return NULL;
	first = lane_address(w, ip, form, 0);
	if (lane_address(w, ip, form, 1) - first != size || !strided(w, ip, form, size))
		return NULL;
	return reach_known(w, ip, form, first, LANES * size, size);
}

/*
 * After the @size bytes of a run come those of the next warp, in most cases. Kernels with long
 * strides access more pages than the processor prefetches by itself.
 */
ALWAYS void fetch_next(const uint8_t *run, unsigned size)
{
	enum { LINE = 64, LINES = 2 };

	for (unsigned at = 0; at < size && at < LINES * LINE; at += LINE)
		__builtin_prefetch(run + size + at);
}

ALWAYS bool try_load(struct warp *w, const struct op *ip, enum memory_form form, unsigned width,
		     unsigned count)
{
	const uint8_t *run = form == FLAT_S || form == SHARED_S ?
				     NULL : known_run(w, ip, form, width * count);
	uint8_t *rows[4];

	if (unlikely(!run))
		return false;
	if (form == FLAT_R8)
		fetch_next(run, LANES * width * count);
	element_rows(w, ip, count, rows);
	spread(rows, run, width, count);
	return true;
}

ALWAYS bool try_load_slot(struct warp *w, const struct op *ip, enum memory_form form,
			  unsigned width, unsigned count)
{
	const uint8_t *p = reach_known(w, ip, form, lane_address(w, ip, form, 0), width * count,
				       width * count);

	if (unlikely(!p))
		return false;
	fill_slots(w, ip, p, width, count);
	return true;
}

ALWAYS bool try_store(struct warp *w, const struct op *ip, enum memory_form form, unsigned width,
		      unsigned count)
{
	uint8_t *run = form == FLAT_S || form == SHARED_S ?
			       NULL : known_run(w, ip, form, width * count);
	uint8_t *rows[4];

	if (unlikely(!run))
		return false;
	element_rows(w, ip, count, rows);
	collect(rows, run, width, count);
	return true;
}

#define ACCESS(what, how, form, width, count, after)                                       \
	static __attribute__((noinline)) void SLOW(what##_##width##_v##count)              \
	{                                                                                  \
		if (unlikely(!how(w, ip, form, width, count)))                             \
			HALT;                                                              \
		GOTO(ip + (after));                                                        \
	}                                                                                  \
	HANDLE(what##_##width##_v##count)                                                  \
	{                                                                                  \
		if (likely(try_##how(w, ip, form, width, count)))                          \
			GOTO(ip + (after));                                                \
		TAIL(slow_##what##_##width##_v##count);                                    \
	}
#define SLOW(name) slow_##name(struct warp *w, const struct op *ip)
#define COUNTS(what, how, form, width)                                                     \
	ACCESS(what, how, form, width, 1, 1)                                               \
	ACCESS(what, how, form, width, 2, 2)                                               \
	ACCESS(what, how, form, width, 4, 2)
#define WIDTHS(what, how, form)                                                            \
	COUNTS(what, how, form, 1)                                                         \
	COUNTS(what, how, form, 2)                                                         \
	COUNTS(what, how, form, 4)                                                         \
	COUNTS(what, how, form, 8)

WIDTHS(ld_flat_r8, load, FLAT_R8)
WIDTHS(ld_flat_s, load, FLAT_S)
WIDTHS(ld_shared_r8, load, SHARED_R8)
WIDTHS(ld_shared_r4, load, SHARED_R4)
WIDTHS(ld_shared_s, load, SHARED_S)
WIDTHS(ld_flat_slot, load_slot, FLAT_S)
WIDTHS(ld_shared_slot, load_slot, SHARED_S)
WIDTHS(st_flat_r8, store, FLAT_R8)
WIDTHS(st_flat_s, store, FLAT_S)
WIDTHS(st_shared_r8, store, SHARED_R8)
WIDTHS(st_shared_r4, store, SHARED_R4)
WIDTHS(st_shared_s, store, SHARED_S)
