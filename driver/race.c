/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "race.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "config.h"
#include "finding.h"
#include "shadow.h"

enum { SEGMENTS = 1 << (32 - TAG_SHIFT) };
enum { SKEW = 5 * 4096 }; /* of cells: what a kernel strides over shares the sets of caches */

struct segment {
	_Atomic uint64_t released; /* time of the fence; 0: not yet */
	uint64_t launch;           /* its id */
	uint32_t cta, warp;        /* in the launch, in the CTA */
	uint32_t next;             /* of the warp */
};

struct race_cells race_global;
static struct segment *segments;
static _Atomic uint32_t next_segment = 1, era;
static _Atomic uint64_t now;       /* counts fences */
static atomic_bool exhausted;

#define load(cell)         __atomic_load_n(cell, __ATOMIC_ACQUIRE)
#define store(cell, value) __atomic_store_n(cell, value, __ATOMIC_RELEASE)

/* ---- Cells ------------------------------------------------------------------ */

static void *map(uint64_t size)
{
	void *at = mmap(NULL, size, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return at == MAP_FAILED ? NULL : at;
}

/* Of all the cells of @size bytes, in one mapping; zero. */
static uint64_t cells_size(uint64_t size)
{
	return size * (1 + 1 + 4 + 4 + 2) + (size >> PAGE_SHIFT) + 64 + 2 * SKEW;
}

static void lay_cells(struct race_cells *cells, void *at, uint64_t size)
{
	size = (size + 7) & ~(uint64_t)7;
	cells->writes = (uint32_t *)at + SKEW / 4;
	cells->reads = cells->writes + (size + SKEW) / 4;
	cells->byte_writes = cells->reads + size / 4;
	cells->byte_reads = cells->byte_writes + size;
	cells->released = (uint64_t *)(cells->byte_reads + size);
	cells->bytes_used = (uint8_t *)(cells->released + size / 4);
}

int race_reserve(uint64_t size, struct err *e)
{
	void *at = map(cells_size(size + 8));

	segments = map((uint64_t)SEGMENTS * sizeof(*segments));
	if (!at || !segments)
		return err_set(e, GPURUN_NO_MEMORY, "cannot reserve addresses for check=race");
	lay_cells(&race_global, at, size);
	madvise(race_global.writes, 2 * size + SKEW, MADV_HUGEPAGE);
	return 0;
}

uint32_t race_launch(bool alone)
{
	if (!segments)
		return 0;
	if (alone && atomic_load(&next_segment) > SEGMENTS / 2) {
		madvise(race_global.writes - SKEW / 4, cells_size(shadow.size), MADV_DONTNEED);
		atomic_store(&next_segment, 1);
		atomic_store(&exhausted, false);
		atomic_fetch_add(&era, 1);
	}
	return atomic_load(&next_segment) << TAG_SHIFT;
}

/* Behind the struct, for recycling: the cells of @shared bytes. */
int race_start(struct cta *cta, struct err *e)
{
	struct race_cta *race = cta->race;
	uint64_t shared = (cta->shared_size + 8191ull) & ~4095ull;

	if (!segments || !(config.check & CHECK_RACE))
		return 0;
	if (!race || race->size < shared || race->era != atomic_load(&era)) {
		race_release(race);
		cta->race = race = calloc(1, sizeof(*race));
		if (!race || !(race->memory = map(cells_size(shared))))
			return err_set(e, GPURUN_NO_MEMORY, "no memory to check a block");
		race->size = shared;
		race->era = atomic_load(&era);
		lay_cells(&race->cells, race->memory, shared);
	}
	memset(race->gone, 0, sizeof(race->gone));
	race->floor = atomic_load(&next_segment) << TAG_SHIFT;
	return 0;
}

void race_start_warp(struct cta *cta, struct warp *w, uint32_t index)
{
	w->race = NULL;
	if (!segments || !cta->race)
		return;
	w->race = &cta->race->warps[index];
	memset(w->race, 0, sizeof(*w->race));
}

void race_release(struct race_cta *race)
{
	if (!race)
		return;
	if (race->memory)
		munmap(race->memory, cells_size(race->size));
	free(race);
}

/* ---- Order ------------------------------------------------------------------- */

static uint32_t cta_index(const struct cta *cta)
{
	const uint32_t *grid = cta->launch->grid;

	return cta->id[0] + grid[0] * (cta->id[1] + grid[1] * cta->id[2]);
}

static void say_exhausted(void)
{
	if (!atomic_exchange(&exhausted, true))
		fputs("gpurun: check: race: this launch is too long to be checked to its end\n",
		      stderr);
}

uint32_t race_segment(struct warp *w)
{
	struct race_warp *race = w->race;
	uint32_t number = atomic_load(&next_segment);

	if (number < SEGMENTS)
		number = atomic_fetch_add(&next_segment, 1);
	if (number >= SEGMENTS) {
		atomic_store(&next_segment, SEGMENTS);
		say_exhausted();
		return 0;
	}
	atomic_store_explicit(&segments[number].released, 0, memory_order_relaxed);
	segments[number].launch = w->cta->launch->id;
	segments[number].cta = cta_index(w->cta);
	segments[number].warp = w->index;
	segments[number].next = 0;
	if (race->last)
		segments[race->last].next = number;
	else
		race->first = number;
	race->last = number;
	race->tag = number << TAG_SHIFT;
	/* Whoever finds the tag in a cell, plainly stored by simd_check.c too, reads these. */
	atomic_thread_fence(memory_order_release);
	return race->tag;
}

/* The tag that every segment begun from here on is above. */
static uint32_t next_tag(void)
{
	return atomic_load(&next_segment) << TAG_SHIFT;
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

void race_warp_sync(struct warp *w)
{
	struct race_warp *race = w->race;

	race->tag = 0;
	race->seen[w->index] = next_tag();
	race->acquired = later(race->acquired, race->pending);
	if (w->cta->warp_count == 1)
		w->cta->race->floor = next_tag();
}

void race_meet(struct warp *w)
{
	w->race->tag = 0;
	w->race->met = next_tag();
}

void race_arrive(struct warp *w, uint32_t id)
{
	struct race_cta *race = w->cta->race;

	race->gone[id] |= 1u << w->index;
	race->gone_at[id][w->index] = next_tag();
	w->race->tag = 0;
}

/* The warps that wait at barrier @id, and whether they are all there are. */
static uint32_t waiting(const struct cta *cta, uint32_t id, bool *all)
{
	uint32_t warps = 0, threads = 0;

	for (uint32_t i = 0; i < cta->warp_count; i++) {
		const struct warp *w = &cta->warps[i];

		for (uint32_t k = 0; k < w->group_count; k++) {
			if (w->groups[k].state != GROUP_BARRIER + id)
				continue;
			warps |= 1u << i;
			threads += (uint32_t)__builtin_popcount(w->groups[k].mask);
		}
	}
	*all = threads == cta->live;
	return warps;
}

/* What the warps that meet have seen and acquired, each of them has. */
static void join(struct cta *cta, uint32_t id, uint32_t warps)
{
	struct race_cta *race = cta->race;
	uint32_t seen[32] = { 0 };
	uint64_t acquired = 0;

	for (uint32_t m = warps | race->gone[id]; m; m &= m - 1) {
		uint32_t i = (uint32_t)__builtin_ctz(m);
		const struct race_warp *from = &race->warps[i];
		uint32_t own = warps >> i & 1 ? next_tag() : race->gone_at[id][i];

		for (uint32_t u = 0; u < cta->warp_count; u++)
			seen[u] = seen[u] > from->seen[u] ? seen[u] : from->seen[u];
		seen[i] = seen[i] > own ? seen[i] : own;
		acquired = later(acquired, later(from->acquired, from->pending));
	}
	for (uint32_t m = warps; m; m &= m - 1) {
		struct race_warp *to = &race->warps[__builtin_ctz(m)];

		memcpy(to->seen, seen, sizeof(seen));
		to->acquired = acquired;
		to->tag = 0;
	}
}

void race_barrier(struct cta *cta, uint32_t id)
{
	struct race_cta *race = cta->race;
	uint64_t acquired = 0;
	bool all;
	uint32_t warps = waiting(cta, id, &all);

	if (!all || race->gone[id]) {
		join(cta, id, warps);
		race->gone[id] = 0;
		return;
	}
	for (uint32_t i = 0; i < cta->warp_count; i++)
		acquired = later(acquired, later(race->warps[i].acquired,
						 race->warps[i].pending));
	for (uint32_t i = 0; i < cta->warp_count; i++) {
		race->warps[i].tag = 0;
		race->warps[i].acquired = acquired;
	}
	race->floor = next_tag();
}

/* Segments of the CTA that @w comes after are released with its own. */
void race_fence(struct warp *w)
{
	struct race_cta *cta = w->cta->race;
	struct race_warp *race = w->race;
	uint64_t time = atomic_fetch_add(&now, 1) + 1;

	race->tag = 0;
	race->seen[w->index] = next_tag();
	for (uint32_t u = 0; u < w->cta->warp_count; u++) {
		struct race_warp *other = &cta->warps[u];
		uint32_t seen = race->seen[u] > cta->floor ? race->seen[u] : cta->floor;

		while (other->first && other->first << TAG_SHIFT < seen) {
			struct segment *segment = &segments[other->first];

			atomic_store_explicit(&segment->released, time, memory_order_release);
			other->first = segment->next;
		}
		if (!other->first)
			other->last = 0;
	}
	race->fenced = time;
	race->acquired = later(race->acquired, race->pending);
}

void race_acquire_all(struct warp *w)
{
	w->race->acquired = atomic_load(&now);
}

void race_cluster(struct warp *w)
{
	const struct cluster *cluster = w->cta->cluster;

	race_fence(w);
	for (uint32_t i = 0; i < cluster->size; i++)
		for (uint32_t k = 0; cluster->ctas[i] && k < cluster->ctas[i]->warp_count; k++)
			race_acquire_all(&cluster->ctas[i]->warps[k]);
}

void race_forget(uint64_t address, uint64_t size)
{
	uint64_t offset = address - shadow.base;

	if (!race_global.writes || offset >= shadow.size)
		return;
	memset(race_global.writes + offset / 4, 0, (size + 3) / 4 * 4);
	memset(race_global.reads + offset / 4, 0, (size + 3) / 4 * 4);
	memset(race_global.byte_writes + offset, 0, size * 4);
	memset(race_global.byte_reads + offset, 0, size * 4);
}

/* ---- Checking ------------------------------------------------------------------ */

/* Where an access is: its cells, the offset in them, and what is old there. */
struct place {
	const struct race_cells *cells;
	uint64_t offset;
	uint32_t floor;
};

static bool find_place(const struct warp *w, const struct check_access *access, uint64_t at,
		       struct place *place)
{
	uint64_t offset = access->shared ? at : at - (uint64_t)w->shared;

	if (offset < w->shared_size && access->size <= w->shared_size - offset) {
		*place = (struct place){ &w->cta->race->cells, offset, w->cta->race->floor };
		return true;
	}
	*place = (struct place){ &race_global, at - shadow.base, w->cta->launch->floor };
	return !access->shared && place->offset < shadow.size;
}

/* Tells whether the access with @tag comes before what lane @lane of @w does now. */
static bool comes_before(const struct warp *w, uint32_t tag, unsigned lane)
{
	const struct segment *segment = &segments[tag >> TAG_SHIFT];
	const struct race_cta *cta = w->cta->race;
	const struct race_warp *race = w->race;
	uint64_t released;

	if (segment->launch == w->cta->launch->id && segment->cta == cta_index(w->cta)) {
		if (tag < cta->floor || tag < race->seen[segment->warp])
			return true;
		if (segment->warp == w->index && (tag & TAG_LANE) == lane &&
		    !(tag & TAG_SEVERAL))
			return true;
	}
	released = atomic_load_explicit(&segment->released, memory_order_acquire);
	return released && released <= race->acquired;
}

/* Tells whether lane @lane's access with @own conflicts with the recorded @tag. */
static bool conflicts(const struct warp *w, uint32_t tag, uint32_t floor, uint32_t own,
		      unsigned lane)
{
	if (tag < floor || (tag & own & TAG_STRONG))
		return false;
	if (!((tag ^ own) & ~(uint32_t)TAG_FLAGS) && !(tag & TAG_SEVERAL))
		return false;
	return !comes_before(w, tag, lane);
}

/* "thread (1,0,0) of block (0,0,0)" */
static void describe_thread(const struct warp *w, uint32_t tag, char *text, size_t size)
{
	const struct segment *segment = &segments[tag >> TAG_SHIFT];
	const struct launch *launch = w->cta->launch;
	const uint32_t *block = launch->block, *grid = launch->grid;
	uint32_t thread = segment->warp * LANES + (tag & TAG_LANE), cta = segment->cta;

	if (segment->launch != launch->id) {
		snprintf(text, size, "another kernel that runs at the same time");
		return;
	}
	snprintf(text, size, "%sthread (%u,%u,%u) of block (%u,%u,%u)",
		 tag & TAG_SEVERAL ? "other threads beside " : "", thread % block[0],
		 thread / block[0] % block[1], thread / block[0] / block[1], cta % grid[0],
		 cta / grid[0] % grid[1], cta / grid[0] / grid[1]);
}

static void report(struct warp *w, const struct op *ip, const struct check_access *access,
		   unsigned lane, uint32_t tag, bool written)
{
	static const char *const verbs[] = { "read", "write", "atomic operation" };
	char where[256] = "shared memory", thread[128];
	uint64_t at = access->at[lane];

	if (!finding_is_news(w, ip, CHECK_RACE))
		return;
	if (at - (uint64_t)w->shared >= w->shared_size && !access->shared)
		memory_describe(w, at, where, sizeof(where));
	describe_thread(w, tag, thread, sizeof(thread));
	finding_add(w, ip, 1u << lane, CHECK_RACE,
		    "%s of %u bytes at %#llx, which %s %s; nothing orders the two: %s",
		    verbs[access->kind], access->size, (unsigned long long)at, thread,
		    written ? "wrote" : "read", where);
}

/* Tells whether a read was by a lane of @w that it has met since. */
static bool has_met(const struct warp *w, uint32_t tag)
{
	const struct segment *segment = &segments[tag >> TAG_SHIFT];

	return tag < w->race->met && segment->warp == w->index &&
	       segment->launch == w->cta->launch->id && segment->cta == cta_index(w->cta);
}

static bool check_cell(struct warp *w, const struct op *ip, const struct check_access *access,
		       unsigned lane, uint32_t floor, const uint32_t *writes,
		       const uint32_t *reads)
{
	uint32_t own = w->race->tag | lane | (access->strong ? TAG_STRONG : 0), tag;

	tag = load(writes);
	if (conflicts(w, tag, floor, own, lane) &&
	    !(access->kind == ACCESS_WRITE && race_writes_same(w, ip, access, lane, tag))) {
		report(w, ip, access, lane, tag, true);
		return false;
	}
	tag = load(reads);
	if (access->kind != ACCESS_READ && conflicts(w, tag, floor, own, lane) &&
	    !has_met(w, tag)) {
		report(w, ip, access, lane, tag, false);
		return false;
	}
	return true;
}

static void record_cell(const struct warp *w, const struct check_access *access, unsigned lane,
			uint32_t floor, uint32_t *writes, uint32_t *reads)
{
	uint32_t own = w->race->tag | lane | (access->strong ? TAG_STRONG : 0), tag;

	if (access->kind != ACCESS_READ) {
		store(writes, own);
		return;
	}
	tag = load(reads);
	if (tag >= floor && tag >> TAG_SHIFT == own >> TAG_SHIFT) {
		if ((tag ^ own) & TAG_LANE)
			store(reads, own | TAG_SEVERAL);
	} else if (tag < floor || !TAG_STAYS(tag, own)) {
		store(reads, own);
	}
}

static void check_bytes(struct warp *w, const struct op *ip, const struct check_access *access,
			unsigned lane, const struct place *place)
{
	const struct race_cells *cells = place->cells;
	uint64_t offset = place->offset;

	race_note_bytes(cells, offset);
	for (uint32_t i = 0; i < access->size; i++)
		if (!check_cell(w, ip, access, lane, place->floor,
				cells->byte_writes + offset + i, cells->byte_reads + offset + i))
			break;
	check_cell(w, ip, access, lane, place->floor, cells->writes + offset / 4,
		   cells->reads + offset / 4);
	for (uint32_t i = 0; i < access->size; i++)
		record_cell(w, access, lane, place->floor, cells->byte_writes + offset + i,
			    cells->byte_reads + offset + i);
}

static void check_words(struct warp *w, const struct op *ip, const struct check_access *access,
			unsigned lane, const struct place *place)
{
	const struct race_cells *cells = place->cells;
	uint64_t word = place->offset / 4;
	uint32_t bytes = race_has_bytes(cells, place->offset) ? access->size : 0;

	for (uint32_t i = 0; i < access->size / 4; i++)
		if (!check_cell(w, ip, access, lane, place->floor, cells->writes + word + i,
				cells->reads + word + i))
			break;
	for (uint32_t i = 0; i < bytes; i++)
		if (!check_cell(w, ip, access, lane, place->floor,
				cells->byte_writes + place->offset + i,
				cells->byte_reads + place->offset + i))
			break;
	for (uint32_t i = 0; i < access->size / 4; i++)
		record_cell(w, access, lane, place->floor, cells->writes + word + i,
			    cells->reads + word + i);
}

/* A strong access carries fences along: what was fenced before it is released by it. */
static void note_strong(struct warp *w, const struct check_access *access, unsigned lane,
			const struct place *place)
{
	struct race_warp *race = w->race;
	uint64_t *released = place->cells->released + place->offset / 4;
	uint64_t before = load(released);

	race->strong |= 1u << lane;
	race->strong_at[lane] = (uint64_t)released;
	if (access->kind == ACCESS_READ)
		return;
	while (before < race->fenced &&
	       !__atomic_compare_exchange_n(released, &before, race->fenced, true,
					    __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
}

void race_check(struct warp *w, const struct op *ip, const struct check_access *access,
		uint32_t lanes)
{
	struct race_warp *race = w->race;

	race->strong = 0;
	if (access->release)
		race_fence(w);
	if (!race->tag && !race_segment(w))
		return;
	for (uint32_t m = lanes; m; m &= m - 1) {
		unsigned l = (unsigned)__builtin_ctz(m);
		struct place place;

		if (!find_place(w, access, access->at[l], &place))
			continue;
		if (access->strong)
			note_strong(w, access, l, &place);
		if (access->size < 4)
			check_bytes(w, ip, access, l, &place);
		else
			check_words(w, ip, access, l, &place);
	}
}

void race_acquire(struct warp *w, bool acquire)
{
	struct race_warp *race = w->race;

	for (uint32_t m = race->strong; m; m &= m - 1) {
		const uint64_t *released = (uint64_t *)race->strong_at[__builtin_ctz(m)];

		race->pending = later(race->pending,
				      __atomic_load_n(released, __ATOMIC_ACQUIRE));
	}
	race->strong = 0;
	if (acquire)
		race->acquired = later(race->acquired, race->pending);
}
