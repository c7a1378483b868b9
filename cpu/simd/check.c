/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The checker's ops, which precede and follow those that access memory. */
#include "access.h"
#include "config.h"
#include "async_copy.h"
#include "race.h"
#include "shadow_memory.h"
#include "simd.h"

#define ALWAYS static inline __attribute__((always_inline))

/* The address that lane @l accesses. */
ALWAYS uint64_t address_of(struct warp *w, const struct op *ip, enum access_form form, unsigned l)
{
	if (form == FORM_SHARED_R4)
		return (uint32_t)(ROW(uint32_t, a)[l] + (uint32_t)ip->imm);
	if (form == FORM_FLAT_S || form == FORM_SHARED_S)
		return (SLOT(uint64_t, a) + (uint64_t)ip->imm) &
		       (ip->c & ACCESS_NARROW ? UINT32_MAX : UINT64_MAX);
	return ROW(uint64_t, a)[l] + (uint64_t)ip->imm;
}

/* Tells whether the addresses of all lanes are @step bytes apart. */
ALWAYS bool in_steps(struct warp *w, const struct op *ip, enum access_form form, uint32_t step)
{
	uint32_t narrow = 0;
	uint64_t wide = 0;

	if (form == FORM_FLAT_S || form == FORM_SHARED_S)
		return !step;
	if (form == FORM_SHARED_R4)
		EACH_LANE narrow |= ROW(uint32_t, a)[l] ^ (ROW(uint32_t, a)[0] + step * l);
	else
		EACH_LANE wide |= ROW(uint64_t, a)[l] ^ (ROW(uint64_t, a)[0] + step * l);
	return !narrow && !wide;
}

ALWAYS enum access_kind kind_of(const struct op *ip)
{
	return (enum access_kind)(ip->c >> ACCESS_KIND_SHIFT & 3);
}

/* ---- Races, for a warp whose lanes access one run of words, or read the same ---- */

#ifdef SIMD_TSAN
enum { BULK = 0 }; /* cells of device memory are shared among threads */
#else
enum { BULK = 1 };
#endif

/* Tells whether no other segment wrote the words of @count lanes, 1 << @shift words each. */
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
 * Tells whether no other segment wrote the words, and the recorded reader of each of them is
 * not replaced: most reads of what many warps read.
 */
ALWAYS bool read_before(const uint32_t *writes, const uint32_t *reads, uint32_t own,
			uint32_t floor, unsigned shift)
{
	uint32_t bad = 0;

	for (uint32_t i = 0; i < (uint32_t)LANES << shift; i++) {
		uint32_t mine = own + (i >> shift);
		uint32_t other = (writes[i] ^ mine) & ~(uint32_t)TAG_FLAGS;

		bad |= (uint32_t)(writes[i] >= floor) & (uint32_t)(other != 0);
		bad |= (uint32_t)(reads[i] < floor) | (uint32_t)!TAG_STAYS(reads[i], mine);
		bad |= (uint32_t)(reads[i] >> TAG_SHIFT == mine >> TAG_SHIFT);
	}
	return !bad;
}

/*
 * As record_cell() in race.c; unchanged cells are not written, for the caches of others.
 * Not inlined: inlined, the compiler considers it too rare to vectorise.
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
	if (unlikely(old))
		merge_reads(reads, own, floor, shift);
	else
		record(reads, own, shift);
}

/* Where memory of one kind is checked. */
struct region {
	const struct race_cells *cells;
	uint64_t base, size;   /* of its addresses */
	uint32_t floor;
	bool mixed;            /* some tags above the floor come before, too */
};

/* The region of an access at @at; false when there is none. */
ALWAYS bool find_region(const struct warp *w, bool shared, uint64_t at, struct region *region)
{
	uint64_t base = shared ? 0 : (uint64_t)w->shared;

	*region = (struct region){ &w->cta->race->cells, base, w->shared_size,
				   w->cta->race->floor, false };
	if (at - base < w->shared_size)
		return true;
	*region = (struct region){ &race_global, shadow.base, shadow.size - 512,
				   w->cta->launch->floor, w->cta->launch->mixed };
	return !shared && at - shadow.base < region->size;
}

/*
 * Prefetches the cells of the run after the next one: warps access them one after the other, in
 * more streams than processors detect by themselves. Loads prefetch the memory.
 */
ALWAYS void fetch_cells(const struct race_cells *cells, uint64_t word, unsigned shift)
{
	const uint32_t words = LANES << shift;

	for (uint32_t i = 2 * words; i < 3 * words; i += 16) {
		__builtin_prefetch(cells->reads + word + i, 1);
		__builtin_prefetch(cells->writes + word + i, 1);
	}
}

static __attribute__((noinline)) bool mixed_run(const struct warp *w, const struct region *region,
						uint64_t word, bool write, unsigned shift)
{
	const struct race_cells *cells = region->cells;
	const struct race_hold hold = race_hold(cells, 4 * word, (uint64_t)LANES * 4 << shift);
	const bool ordered = race_mixed_run(w, cells->writes + word, cells->reads + word, shift,
					    write);

	race_unhold(hold);
	return ordered;
}

/* Checks and records a run at @at; where its cells are untouched, prefetches what follows. */
ALWAYS bool run_of_words(const struct warp *w, const struct region *region, uint64_t at,
			 uint32_t own, bool write, unsigned shift)
{
	const uint64_t word = (at - region->base) / 4;
	uint32_t *writes = region->cells->writes + word, *reads = region->cells->reads + word;
	const uint32_t floor = region->floor;
	const bool fresh = *(write ? writes : reads) < floor;
	struct race_hold hold;
	bool ordered;

	if (fresh && region->cells == &race_global &&
	    4 * word + ((uint64_t)LANES * 12 << shift) <= region->size)
		fetch_cells(region->cells, word, shift);
	if (unlikely(region->mixed))
		return mixed_run(w, region, word, write, shift);
	if (!fresh && !write && likely(read_before(writes, reads, own, floor, shift)))
		return true;
	hold = race_hold(region->cells, 4 * word, (uint64_t)LANES * 4 << shift);
	ordered = unwritten(writes, own, floor, shift) &&
		  (!write || unread(reads, own, floor, shift));
	if (ordered && write)
		record(writes, own, shift);
	else if (ordered)
		record_reads(reads, own, floor, shift);
	race_unhold(hold);
	return ordered;
}

/* All running lanes read the same @count words. */
ALWAYS bool same_words(const struct warp *w, const struct race_cells *cells, uint64_t word,
		       uint32_t own, uint32_t floor, unsigned count)
{
	uint32_t first = (uint32_t)__builtin_ctz(w->mask);
	uint32_t mine = own | first | (w->mask & (w->mask - 1) ? TAG_SEVERAL : 0);

	for (unsigned i = 0; i < count; i++) {
		const uint32_t *written = &cells->writes[word + i];
		uint32_t *read = &cells->reads[word + i];
		struct race_hold hold;

		if (*written >= floor)
			return false;
		if (*read == mine || (*read >= floor && *read >> TAG_SHIFT != mine >> TAG_SHIFT &&
				      TAG_STAYS(*read, mine)))
			continue;
		hold = race_hold(cells, 4 * (word + i), 4);
		if (*written < floor)
			*read = mine;
		race_unhold(hold);
		if (*written >= floor)
			return false;
	}
	return true;
}

/* One word of a lane; false when it is not ordered, or may not be. */
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

/* The @count words of one lane. */
ALWAYS bool words_of_lane(const struct region *region, uint64_t offset, uint32_t count,
			  uint32_t mine, bool write)
{
	const struct race_cells *cells = region->cells;
	const struct race_hold hold = race_hold(cells, offset, 4ull * count);
	bool ordered = true;

	for (uint32_t i = 0; ordered && i < count; i++)
		ordered = one_word(cells->writes + offset / 4 + i, cells->reads + offset / 4 + i,
				   region->floor, mine, write);
	race_unhold(hold);
	return ordered;
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
		if (!words_of_lane(region, offset, access->size / 4, own + l,
				   access->kind == ACCESS_WRITE))
			return false;
	}
	return true;
}

/* The tag of @w's segment; 0 when there are no more. */
ALWAYS uint32_t own_tag(struct warp *w)
{
	return likely(w->race->tag) ? w->race->tag : race_segment(w);
}

/*
 * Checks an access of all lanes together that is usual and ordered; false: the lanes have
 * to be checked one by one.
 */
ALWAYS bool race_together(struct warp *w, const struct op *ip, enum access_form form)
{
	const bool one = form == FORM_FLAT_S || form == FORM_SHARED_S;
	const bool write = kind_of(ip) == ACCESS_WRITE;
	const uint32_t size = (uint32_t)ip->c & 0xff;
	const uint64_t at = address_of(w, ip, form, 0);
	const uint64_t step = one ? 0 : address_of(w, ip, form, 1) - at;
	struct region region;
	uint32_t own;

	if (unlikely(!BULK || ip->c & ACCESS_STRONG || kind_of(ip) == ACCESS_ATOMIC ||
		     size & 3 || (!one && w->mask != ~0u) || (step ? step != size : write)))
		return false;
	own = own_tag(w);
	if (unlikely(!own || !find_region(w, form >= FORM_SHARED_R8, at, &region) || at & 3 ||
		     race_has_bytes(region.cells, at - region.base) ||
		     race_has_bytes(region.cells, at - region.base + 508)))
		return false;
	if (!step)
		return !region.mixed && in_steps(w, ip, form, 0) &&
		       same_words(w, region.cells, (at - region.base) / 4, own, region.floor,
				  size / 4);
	if (likely(size == 4))
		return likely(in_steps(w, ip, form, 4)) &&
		       run_of_words(w, &region, at, own, write, 0);
	if (size == 8)
		return in_steps(w, ip, form, 8) && run_of_words(w, &region, at, own, write, 1);
	return size == 16 && in_steps(w, ip, form, 16) &&
	       run_of_words(w, &region, at, own, write, 2);
}

/* The same lane by lane; false: it is for race_check(). */
ALWAYS bool race_lanes(struct warp *w, const struct check_access *access)
{
	const unsigned first = (unsigned)__builtin_ctz(w->mask);
	struct region region;
	uint32_t own;

	if (!BULK || access->strong || access->kind == ACCESS_ATOMIC || access->size & 3)
		return false;
	own = own_tag(w);
	return own && find_region(w, access->shared, access->at[first], &region) &&
	       !region.mixed && lanes_of_words(w, access, &region, own);
}

/* Tells whether races alone are checked; then the lanes' addresses are not needed. */
ALWAYS bool races_alone(void)
{
	return !(config.check & (CHECK_MEM | CHECK_INIT));
}

/* Not inlined: what it needs on the stack would keep the handler from tail calls. */
#define CHECK(name, form)                                                                  \
	static __attribute__((noinline)) uint32_t legal_##name(struct warp *w,             \
							       const struct op *ip)        \
	{                                                                                  \
		/* While copies are in flight, lanes that access one get that report alone. */\
		const bool clear = w->race && !w->cta->check->in_flight;                   \
		const bool together = clear && race_together(w, ip, form);                 \
		struct check_access access = {                                             \
			.shared = form >= FORM_SHARED_R8,                                  \
			.kind = kind_of(ip),                                               \
			.size = (uint32_t)ip->c & 0xff,                                    \
			.width = (uint8_t)(ip->c >> ACCESS_WIDTH_SHIFT),                   \
			.strong = ip->c & ACCESS_STRONG,                                   \
			.release = ip->c & ACCESS_RELEASE,                                 \
			.system = ip->c & ACCESS_SYSTEM,                                   \
			.followed = ip->c & ACCESS_FOLLOWED,                               \
			.early = ip->c & ACCESS_EARLY,                                     \
		};                                                                         \
                                                                                           \
		if (together && races_alone())                                             \
			return w->mask;                                                    \
		EACH_LANE access.at[l] = address_of(w, ip, form, l);                       \
		access.ordered = together || (clear && race_lanes(w, &access));            \
		return access_check(w, ip, &access);                                       \
	}                                                                                  \
	/* Lanes with an illegal access do not run up to the check_end, d ops away. */     \
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
	race_sync(w);
	NEXT;
}

HANDLE(check_copies)
{
	const enum async_copy_kind kind = (enum async_copy_kind)ip->d;

	switch ((enum copies_op)ip->c) {
	case COPIES_COMMIT:
		async_copy_commit(w, kind);
		break;
	case COPIES_WAIT:
		async_copy_wait(w, ip, kind, (uint32_t)ip->imm);
		break;
	case COPIES_WAIT_ALL:
		async_copy_wait_all(w, ip, kind);
		break;
	}
	NEXT;
}

HANDLE(check_fence)
{
	race_fence(w);
	if (ip->c)
		race_release_to_host(w);
	NEXT;
}

HANDLE(check_end)
{
	if (unlikely(w->mask != w->checked_mask))
		warp_set_mask(w, w->checked_mask);
	NEXT;
}
