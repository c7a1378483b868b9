/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The checker's ops, which stand before and behind those that touch memory. */
#include "access.h"
#include "config.h"
#include "flight.h"
#include "local.h"
#include "race.h"
#include "shadow.h"
#include "simd.h"

#define ALWAYS static inline __attribute__((always_inline))

ALWAYS void find_addresses(struct warp *w, const struct op *ip, enum access_form form,
			   struct check_access *access)
{
	for (unsigned l = 0; l < LANES; l++) {
		if (form == FORM_SHARED_R4)
			access->at[l] = (uint32_t)(ROW(uint32_t, a)[l] + (uint32_t)ip->imm);
		else if (form == FORM_FLAT_S || form == FORM_SHARED_S)
			access->at[l] = (SLOT(uint64_t, a) + (uint64_t)ip->imm) &
					(ip->c & ACCESS_NARROW ? UINT32_MAX : UINT64_MAX);
		else
			access->at[l] = ROW(uint64_t, a)[l] + (uint64_t)ip->imm;
	}
}

/* ---- Races, for a warp whose lanes reach one run of words, or read the same ---- */

#ifdef SIMD_TSAN
enum { BULK = 0 }; /* cells of device memory are shared among threads */
#else
enum { BULK = 1 };
#endif


/* Tells whether nobody else wrote the words of @count lanes, 1 << @shift words each. */
ALWAYS bool unwritten(const uint32_t *writes, uint32_t own, uint32_t floor, unsigned shift)
{
	uint32_t bad = 0;

	for (uint32_t i = 0; i < (uint32_t)LANES << shift; i++) {
		uint32_t other = (writes[i] ^ (own + (i >> shift))) & ~(uint32_t)TAG_FLAGS;

		bad |= (uint32_t)(writes[i] >= floor) & (uint32_t)(other != 0);
	}
	return !bad;
}

ALWAYS bool unread(const uint32_t *reads, uint32_t own, uint32_t floor, unsigned shift)
{
	uint32_t bad = 0;

	for (uint32_t i = 0; i < (uint32_t)LANES << shift; i++) {
		uint32_t other = (reads[i] ^ (own + (i >> shift))) & ~(uint32_t)TAG_STRONG;

		bad |= (uint32_t)(reads[i] >= floor) & (uint32_t)(other != 0);
	}
	return !bad;
}

/*
 * As record_cell() in race.c; cells that stay are not written, for the caches of others.
 * Not inlined: there the compiler takes it for too rare to be worth vectors.
 */
static __attribute__((noinline)) void merge_reads(uint32_t *reads, uint32_t own,
						  uint32_t floor, unsigned shift)
{
	uint32_t next[4 * LANES], changed = 0;

	for (uint32_t i = 0; i < (uint32_t)LANES << shift; i++) {
		uint32_t tag = reads[i], mine = own + (i >> shift);
		uint32_t same = (tag ^ mine) & TAG_LANE ? mine | TAG_SEVERAL : tag;
		uint32_t kept = tag >> TAG_SHIFT == mine >> TAG_SHIFT ? same :
				TAG_STAYS(tag, mine)			  ? tag : mine;

		next[i] = tag < floor ? mine : kept;
		changed |= next[i] ^ tag;
	}
	if (changed)
		__builtin_memcpy(reads, next, (size_t)(LANES * 4) << shift);
}

ALWAYS void record(uint32_t *cells, uint32_t own, unsigned shift)
{
	for (uint32_t i = 0; i < (uint32_t)LANES << shift; i++)
		cells[i] = own + (i >> shift);
}

ALWAYS void record_reads(uint32_t *reads, uint32_t own, uint32_t floor, unsigned shift)
{
	uint32_t old = 0;

	for (uint32_t i = 0; i < (uint32_t)LANES << shift; i++)
		old |= (uint32_t)(reads[i] >= floor);
	if (old)
		merge_reads(reads, own, floor, shift);
	else
		record(reads, own, shift);
}

/*
 * Fetches the run behind one that nobody has come to yet: the next warp is about to.
 * Cells and memory together are more streams than processors find by themselves.
 */
ALWAYS void fetch_next(const struct race_cells *cells, uint64_t word, uint64_t at, unsigned size)
{
	const uint32_t words = LANES * size / 4;

	for (uint32_t i = 0; i < words; i += 16) {
		__builtin_prefetch(cells->reads + word + words + i, 1);
		__builtin_prefetch(cells->writes + word + words + i, 1);
		__builtin_prefetch((const uint32_t *)at + words + i);
	}
}

ALWAYS bool run_of_words(const struct race_cells *cells, uint64_t word, uint32_t own,
			 uint32_t floor, bool write, unsigned shift)
{
	if (!unwritten(cells->writes + word, own, floor, shift))
		return false;
	if (!write) {
		record_reads(cells->reads + word, own, floor, shift);
		return true;
	}
	if (!unread(cells->reads + word, own, floor, shift))
		return false;
	record(cells->writes + word, own, shift);
	return true;
}

/* All running lanes read the same @count words. */
ALWAYS bool same_words(const struct warp *w, const struct race_cells *cells, uint64_t word,
		       uint32_t own, uint32_t floor, unsigned count)
{
	uint32_t first = (uint32_t)__builtin_ctz(w->mask);
	uint32_t mine = own | first | (w->mask & (w->mask - 1) ? TAG_SEVERAL : 0);

	for (unsigned i = 0; i < count; i++)
		if (cells->writes[word + i] >= floor)
			return false;
	for (unsigned i = 0; i < count; i++) {
		uint32_t *read = &cells->reads[word + i];

		if (*read < floor || *read >> TAG_SHIFT == mine >> TAG_SHIFT ||
		    !TAG_STAYS(*read, mine))
			if (*read != mine)
				*read = mine;
	}
	return true;
}

/* Where memory of one kind is checked. */
struct region {
	const struct race_cells *cells;
	uint64_t base, size;   /* of its addresses */
	uint32_t floor;
};

/* The region of lane @l's access; false when there is none. */
ALWAYS bool find_region(const struct warp *w, const struct check_access *access, unsigned l,
			struct region *region)
{
	uint64_t base = access->shared ? 0 : (uint64_t)w->shared;

	*region = (struct region){ &w->cta->race->cells, base, w->shared_size,
				   w->cta->race->floor };
	if (access->at[l] - base < w->shared_size)
		return true;
	*region = (struct region){ &race_global, shadow.base, shadow.size - 512,
				   w->cta->launch->floor };
	return !access->shared && access->at[l] - shadow.base < region->size;
}

/* One word of lane @l; false when it is not in order, or may not be. */
ALWAYS bool one_word(uint32_t *written, uint32_t *read, uint32_t floor, uint32_t mine, bool write)
{
	if (*written >= floor && (*written ^ mine) & ~(uint32_t)TAG_FLAGS)
		return false;
	if (!write) {
		if (*read >= floor && *read >> TAG_SHIFT == mine >> TAG_SHIFT)
			mine = (*read ^ mine) & TAG_LANE ? mine | TAG_SEVERAL : *read;
		else if (*read >= floor && TAG_STAYS(*read, mine))
			return true;
		if (*read != mine)
			*read = mine;
		return true;
	}
	if (*read >= floor && (*read ^ mine) & ~(uint32_t)TAG_STRONG)
		return false;
	*written = mine;
	return true;
}

/* Lane by lane, wherever in one region they are. */
ALWAYS bool lanes_of_words(const struct warp *w, const struct check_access *access,
			   const struct region *region, uint32_t own)
{
	const struct race_cells *cells = region->cells;

	EACH_ACTIVE
	{
		uint64_t offset = access->at[l] - region->base;

		if (offset >= region->size || offset & 3 ||
		    race_has_bytes(cells, offset))
			return false;
		for (uint32_t i = 0; i < access->size / 4; i++)
			if (!one_word(cells->writes + offset / 4 + i,
				      cells->reads + offset / 4 + i, region->floor, own + l,
				      access->kind == ACCESS_WRITE))
				return false;
	}
	return true;
}

/* Tells whether the addresses of all lanes are @step bytes apart. */
ALWAYS bool in_steps(const struct check_access *access, uint64_t step)
{
	uint64_t x = 0;

	for (uint64_t l = 0; l < LANES; l++)
		x |= access->at[l] ^ (access->at[0] + step * l);
	return !x;
}

/*
 * Checks an access that is usual and in order; false: it is for race_check(). @one: the
 * lanes have one address between them.
 */
ALWAYS bool race_usual(struct warp *w, const struct check_access *access, bool one)
{
	const bool write = access->kind == ACCESS_WRITE;
	uint64_t step = one ? 0 : access->at[1] - access->at[0], word;
	uint32_t own = w->race->tag, size = access->size;
	struct region region;

	if (!BULK || access->strong || access->kind == ACCESS_ATOMIC || size & 3)
		return false;
	if (!own)
		own = race_segment(w);
	if (!own)
		return false;
	if (!find_region(w, access, (unsigned)__builtin_ctz(w->mask), &region))
		return false;
	word = (access->at[0] - region.base) / 4;
	if (w->mask != ~0u || (step && step != size) || !(one || in_steps(access, step)) ||
	    race_has_bytes(region.cells, 4 * word) ||
	    race_has_bytes(region.cells, 4 * (word + 127)))
		return lanes_of_words(w, access, &region, own);
	if (!step)
		return !write && same_words(w, region.cells, word, own, region.floor, size / 4);
	if (!access->shared && 4 * word + 2 * LANES * size <= region.size &&
	    (write ? region.cells->writes : region.cells->reads)[word] < region.floor)
		fetch_next(region.cells, word, access->at[0], size);
	switch (size) {
	case 4:
		return run_of_words(region.cells, word, own, region.floor, write, 0);
	case 8:
		return run_of_words(region.cells, word, own, region.floor, write, 1);
	case 16:
		return run_of_words(region.cells, word, own, region.floor, write, 2);
	}
	return false;
}

/* Not inlined: what it needs on the stack would keep the handler from tail calls. */
#define CHECK(name, form)                                                                  \
	static __attribute__((noinline)) uint32_t legal_##name(struct warp *w,             \
							       const struct op *ip)        \
	{                                                                                  \
		struct check_access access = {                                             \
			.shared = form >= FORM_SHARED_R8,                                  \
			.kind = (enum access_kind)(ip->c >> ACCESS_KIND_SHIFT & 3),        \
			.size = (uint32_t)ip->c & 0xff,                                    \
			.width = (uint8_t)(ip->c >> ACCESS_WIDTH_SHIFT),                   \
			.strong = ip->c & ACCESS_STRONG,                                   \
			.release = ip->c & ACCESS_RELEASE,                                 \
			.system = ip->c & ACCESS_SYSTEM,                                   \
		};                                                                         \
                                                                                           \
		find_addresses(w, ip, form, &access);                                      \
		access.ordered = w->race &&                                                \
				 race_usual(w, &access,                                    \
					    form == FORM_FLAT_S || form == FORM_SHARED_S); \
		return access_check(w, ip, &access);                                       \
	}                                                                                  \
	/* Lanes that may not go on stay out up to the check_end, d ops away. */           \
	HANDLE(check_##name)                                                               \
	{                                                                                  \
		uint32_t legal = legal_##name(w, ip);                                      \
                                                                                           \
		w->checked_mask = w->mask;                                                 \
		if (unlikely(!legal))                                                      \
			GOTO(ip + ip->d);                                                  \
		if (unlikely(legal != w->mask))                                            \
			warp_set_mask(w, legal);                                           \
		NEXT;                                                                      \
	}
CHECK(flat_r8, FORM_FLAT_R8)
CHECK(flat_s, FORM_FLAT_S)
CHECK(shared_r8, FORM_SHARED_R8)
CHECK(shared_r4, FORM_SHARED_R4)
CHECK(shared_s, FORM_SHARED_S)

HANDLE(check_acquire)
{
	race_acquire(w, ip->c);
	NEXT;
}

HANDLE(check_meet)
{
	(void)ip;
	race_meet(w);
	NEXT;
}

HANDLE(check_copies)
{
	const enum flight_kind kind = (enum flight_kind)ip->d;

	switch ((enum copies_op)ip->c) {
	case COPIES_COMMIT:
		flight_commit(w, kind);
		break;
	case COPIES_WAIT:
		flight_wait(w, ip, kind, (uint32_t)ip->imm);
		break;
	case COPIES_WAIT_ALL:
		flight_wait_all(w, ip, kind);
		break;
	}
	NEXT;
}

HANDLE(check_fence)
{
	race_fence(w);
	if (ip->c)
		race_tell_host(w);
	NEXT;
}

/* ---- Masks of the lanes that have written a register ------------------------------ */

HANDLE(check_unwritten)
{
	for (int32_t i = 0; i < ip->b; i++)
		*(uint32_t *)(w->rows + ip->a + 8 * i) &= ~w->mask;
	NEXT;
}

HANDLE(check_wrote)
{
	*(uint32_t *)(w->rows + ip->a) |= w->mask;
	NEXT;
}

HANDLE(check_read)
{
	uint32_t lanes = w->mask & ~*(const uint32_t *)(w->rows + ip->a);

	if (unlikely(lanes))
		access_unwritten_register(w, ip, lanes);
	NEXT;
}

/* ---- Frames: local.h -------------------------------------------------------------- */

/* Of each lane's frame, bytes a to b are written (c), or not. */
HANDLE(check_frame)
{
	EACH_ACTIVE __builtin_memset(local_frame(w, l, (uint32_t)ip->a), ip->c,
				     (size_t)(ip->b - ip->a));
	NEXT;
}

/* Goes with copy_frame. */
HANDLE(check_copy_frame)
{
	EACH_ACTIVE __builtin_memmove(local_frame(w, l, (uint32_t)ip->d),
				      local_frame(w, l, (uint32_t)ip->a), (size_t)ip->imm);
	NEXT;
}

/* Follows stack_allocate: d: the lowest address, a: bytes. */
HANDLE(check_alloca)
{
	const uint64_t *d = ROW(uint64_t, d), *a = ROW(uint64_t, a);

	EACH_ACTIVE __builtin_memset(local_frame(w, l, d[l] - w->frame[l]), 0, a[l]);
	NEXT;
}

HANDLE(check_end)
{
	if (unlikely(w->mask != w->checked_mask))
		warp_set_mask(w, w->checked_mask);
	NEXT;
}
