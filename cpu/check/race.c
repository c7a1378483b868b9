/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "race.h"

#include <string.h>

#include "arena.h"
#include "asserts.h"
#include "segment.h"
#include "shadow_memory.h"

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

void race_start_warp(struct cta *cta, struct warp *w, uint32_t index)
{
	w->race = NULL;
	if (!cta->race || !cta->launch->order)
		return;
	ASSERT(index < sizeof(cta->race->warps) / sizeof(cta->race->warps[0]));
	w->race = &cta->race->warps[index];
	memset(w->race, 0, sizeof(*w->race));
	w->race->acquired = atomic_load(&cta->launch->order->acquired);
}

void race_end(struct cta *cta)
{
	struct order *order = cta->launch ? cta->launch->order : NULL;
	uint64_t acquired = 0;

	if (!cta->race || !order)
		return;
	for (uint32_t i = 0; i < cta->warp_count; i++)
		acquired = later(acquired, later(cta->race->warps[i].acquired,
						 cta->race->warps[i].pending));
	order_acquire(order, acquired);
}

static uint32_t cta_index(const struct cta *cta)
{
	const uint32_t *grid = cta->launch->grid;

	return cta->id[0] + grid[0] * (cta->id[1] + grid[1] * cta->id[2]);
}

uint32_t race_segment(struct warp *w)
{
	struct race_warp *race = w->race;
	uint32_t number = race_new_segment(w->cta->launch->order, cta_index(w->cta), w->index);

	if (!number)
		return 0;
	ASSERT(!race->last == !race->first && number > race->last);
	if (race->last)
		race_segments[race->last].next = number;
	else
		race->first = number;
	race->last = number;
	race->tag = number << TAG_SHIFT;
	/* A thread that finds the tag in a cell reads these; simd/check.c stores it plainly. */
	atomic_thread_fence(memory_order_release);
	return race->tag;
}

void race_warp_sync(struct warp *w)
{
	struct race_warp *race = w->race;

	race->tag = 0;
	race->seen[w->index] = race_next_tag();
	race->acquired = later(race->acquired, race->pending);
	if (w->cta->warp_count == 1)
		w->cta->race->floor = race_next_tag();
}

void race_sync(struct warp *w)
{
	w->race->tag = 0;
	w->race->synced = race_next_tag();
}

void race_arrive(struct warp *w, uint32_t id)
{
	struct race_cta *race = w->cta->race;

	ASSERT(id < BARRIERS && w->index < w->cta->warp_count);
	race->arrived[id] |= 1u << w->index;
	race->arrived_at[id][w->index] = race_next_tag();
	w->race->tag = 0;
}

/* The warps that wait at barrier @id; *@all: every live thread of @cta does. */
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
	ASSERT(threads <= cta->live);
	*all = threads == cta->live;
	return warps;
}

/* At barrier @id: all that one of @warps has seen and acquired, each of them has. */
static void join(struct cta *cta, uint32_t id, uint32_t warps)
{
	struct race_cta *race = cta->race;
	uint32_t seen[32] = { 0 };
	uint64_t acquired = 0;

	ASSERT(warps | race->arrived[id]);
	FOR_BITS(i, warps | race->arrived[id]) {
		const struct race_warp *from = &race->warps[i];
		uint32_t own = warps >> i & 1 ? race_next_tag() : race->arrived_at[id][i];

		for (uint32_t u = 0; u < cta->warp_count; u++)
			seen[u] = seen[u] > from->seen[u] ? seen[u] : from->seen[u];
		seen[i] = seen[i] > own ? seen[i] : own;
		acquired = later(acquired, later(from->acquired, from->pending));
	}
	FOR_BITS(i, warps) {
		struct race_warp *to = &race->warps[i];

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

	if (!all || race->arrived[id]) {
		join(cta, id, warps);
		race->arrived[id] = 0;
		return;
	}
	for (uint32_t i = 0; i < cta->warp_count; i++)
		acquired = later(acquired, later(race->warps[i].acquired,
						 race->warps[i].pending));
	for (uint32_t i = 0; i < cta->warp_count; i++) {
		race->warps[i].tag = 0;
		race->warps[i].acquired = acquired;
	}
	race->floor = race_next_tag();
}

/* Releases the segments of @w, and those of its CTA that @w comes after. */
void race_fence(struct warp *w)
{
	struct race_cta *cta = w->cta->race;
	struct race_warp *race = w->race;
	uint64_t time = race_tick();

	ASSERT(race && race == &cta->warps[w->index] && time > race->fenced);
	race->tag = 0;
	race->seen[w->index] = race_next_tag();
	for (uint32_t u = 0; u < w->cta->warp_count; u++) {
		struct race_warp *other = &cta->warps[u];
		uint32_t seen = race->seen[u] > cta->floor ? race->seen[u] : cta->floor;

		while (other->first && other->first << TAG_SHIFT < seen) {
			struct segment *segment = &race_segments[other->first];

			atomic_store_explicit(&segment->released, time, memory_order_release);
			other->first = segment->next;
		}
		if (!other->first)
			other->last = 0;
	}
	race->fenced = time;
	race->acquired = later(race->acquired, race->pending);
}

void race_release_to_host(struct warp *w)
{
	order_release_to_host(w->cta->launch->order, w->race->fenced);
}

void race_acquire_all(struct warp *w)
{
	ASSERT(w->race);
	w->race->acquired = race_now();
}

void race_cluster(struct warp *w)
{
	const struct cluster *cluster = w->cta->cluster;

	race_fence(w);
	for (uint32_t i = 0; i < cluster->size; i++)
		for (uint32_t k = 0; cluster->ctas[i] && k < cluster->ctas[i]->warp_count; k++)
			race_acquire_all(&cluster->ctas[i]->warps[k]);
}

/* ---- Checking ------------------------------------------------------------------ */

/* Where an access is: its cells, the offset in them, and the tag below which all come before. */
struct race_place {
	const struct race_cells *cells;
	uint64_t offset;
	uint32_t floor;
	struct race_hold hold;
};

static bool find_place(const struct warp *w, const struct check_access *access,
		       uint64_t at, struct race_place *place)
{
	uint64_t offset = access->shared ? at : at - (uint64_t)w->shared;

	if (offset < w->shared_size && access->size <= w->shared_size - offset) {
		*place = (struct race_place){ .cells = &w->cta->race->cells,
					      .offset = offset,
					      .floor = w->cta->race->floor };
		return true;
	}
	*place = (struct race_place){ .cells = &race_global, .offset = at - shadow.base,
				      .floor = w->cta->launch->floor };
	return !access->shared && place->offset < shadow.size;
}

/* Tells whether @tag is of an operation that comes before @launch. */
static bool comes_before_launch(const struct launch *launch, uint32_t tag)
{
	const struct segment *segment = segment_of(tag);

	return segment->number != launch->order->number &&
	       order_covers(launch->order, segment->line, segment->number);
}

/* Tells whether the access with @tag comes before what lane @lane of @w does now. */
static bool comes_before(const struct warp *w, uint32_t tag, unsigned lane)
{
	const struct order *order = w->cta->launch->order;
	const struct segment *segment = segment_of(tag);
	const struct race_cta *cta = w->cta->race;
	const struct race_warp *race = w->race;
	uint64_t released;

	if (segment->number != order->number) {
		if (order_covers(order, segment->line, segment->number))
			return true;
	} else if (segment->cta == cta_index(w->cta)) {
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

/* Tells whether a read was by a lane of @w before its last .sync instruction. */
static bool has_synced_since(const struct warp *w, uint32_t tag)
{
	const struct segment *segment = segment_of(tag);

	return tag < w->race->synced && segment->warp == w->index &&
	       segment->cta == cta_index(w->cta) &&
	       segment->number == w->cta->launch->order->number;
}

static bool check_cell(struct warp *w, const struct op *ip,
		       const struct check_access *access, unsigned lane,
		       const struct race_place *place, const uint32_t *writes,
		       const uint32_t *reads)
{
	uint32_t own = w->race->tag | lane | (access->strong ? TAG_STRONG : 0), tag;
	const uint32_t floor = place->floor;

	ASSERT(lane <= TAG_LANE && !(w->race->tag & (TAG_LANE | TAG_FLAGS)));
	tag = cell_load(writes);
	if (conflicts(w, tag, floor, own, lane) &&
	    !(access->kind == ACCESS_WRITE &&
	      race_writes_same(w, ip, access, lane, tag, place->hold))) {
		race_report(w, ip, access, lane, tag, true);
		return false;
	}
	tag = cell_load(reads);
	if (access->kind != ACCESS_READ && conflicts(w, tag, floor, own, lane) &&
	    !has_synced_since(w, tag)) {
		race_report(w, ip, access, lane, tag, false);
		return false;
	}
	return true;
}

static void record_cell(const struct warp *w, const struct check_access *access, unsigned lane,
			uint32_t floor, uint32_t *writes, uint32_t *reads)
{
	uint32_t own = w->race->tag | lane | (access->strong ? TAG_STRONG : 0), tag;

	if (access->kind != ACCESS_READ) {
		cell_store(writes, own);
		return;
	}
	tag = cell_load(reads);
	if (tag >= floor && tag >> TAG_SHIFT == own >> TAG_SHIFT) {
		if ((tag ^ own) & TAG_LANE)
			cell_store(reads, own | TAG_SEVERAL);
	} else if (tag < floor || !TAG_STAYS(tag, own) ||
		   comes_before_launch(w->cta->launch, tag)) {
		cell_store(reads, own);
	}
}

static void check_bytes(struct warp *w, const struct op *ip,
			const struct check_access *access, unsigned lane,
			const struct race_place *place)
{
	const struct race_cells *cells = place->cells;
	uint64_t offset = place->offset;

	ASSERT(access->size && access->size < 4);
	race_note_bytes(cells, offset);
	for (uint32_t i = 0; i < access->size; i++)
		if (!check_cell(w, ip, access, lane, place,
				cells->byte_writes + offset + i, cells->byte_reads + offset + i))
			break;
	check_cell(w, ip, access, lane, place, cells->writes + offset / 4,
		   cells->reads + offset / 4);
	for (uint32_t i = 0; i < access->size; i++)
		record_cell(w, access, lane, place->floor, cells->byte_writes + offset + i,
			    cells->byte_reads + offset + i);
}

static void check_words(struct warp *w, const struct op *ip,
			const struct check_access *access, unsigned lane,
			const struct race_place *place)
{
	const struct race_cells *cells = place->cells;
	uint64_t word = place->offset / 4;
	uint32_t bytes = race_has_bytes(cells, place->offset) ? access->size : 0;

	for (uint32_t i = 0; i < access->size / 4; i++)
		if (!check_cell(w, ip, access, lane, place, cells->writes + word + i,
				cells->reads + word + i))
			break;
	for (uint32_t i = 0; i < bytes; i++)
		if (!check_cell(w, ip, access, lane, place,
				cells->byte_writes + place->offset + i,
				cells->byte_reads + place->offset + i))
			break;
	for (uint32_t i = 0; i < access->size / 4; i++)
		record_cell(w, access, lane, place->floor, cells->writes + word + i,
			    cells->reads + word + i);
}

/* Tells whether the last write of the word at @offset of device memory was a strong one of an
 * operation that is in no order with this one: it may be a flag. */
static bool written_by_another_operation(const struct launch *launch, uint64_t offset)
{
	const uint32_t tag = cell_load(race_global.writes + offset / 4);
	const struct segment *segment = segment_of(tag);

	return tag >= launch->floor && tag & TAG_STRONG &&
	       segment->number != launch->order->number &&
	       !order_covers(launch->order, segment->line, segment->number);
}

/* Tells whether the host may have written the word at @offset. */
static bool may_be_host_written(uint64_t offset)
{
	struct block block;

	return memory_block(shadow.base + offset, &block) &&
	       (block.kind == BLOCK_HOST || block.kind == BLOCK_MANAGED);
}

/*
 * An atomic on a word that has another operation's flag: it is about to become the last write.
 * The cells are locked: an access that finds an atomic of this kernel there comes after this.
 */
static void note_flag(const struct warp *w, const struct check_access *access,
		      const struct race_place *place)
{
	if (access->strong && access->kind == ACCESS_ATOMIC && place->cells == &race_global &&
	    written_by_another_operation(w->cta->launch, place->offset))
		order_learn(w->cta->launch->order);
}

/* As comes_before_launch(), or @own. *@known: the last segment that was; neighbours are often
 * of one segment. */
static bool is_old_or_own(const struct launch *launch, uint32_t tag, uint32_t own, uint32_t *known)
{
	if (tag < launch->floor || tag >> TAG_SHIFT == *known ||
	    !((tag ^ own) & ~(uint32_t)TAG_STRONG))
		return true;
	if (!comes_before_launch(launch, tag))
		return false;
	*known = tag >> TAG_SHIFT;
	return true;
}

bool race_mixed_run(const struct warp *w, uint32_t *writes, uint32_t *reads, unsigned shift,
		    bool write)
{
	const struct launch *launch = w->cta->launch;
	const uint32_t count = (uint32_t)LANES << shift, own = w->race->tag;
	uint32_t known[2] = { 0, 0 };

	for (uint32_t i = 0; i < count; i++)
		if (!is_old_or_own(launch, writes[i], own + (i >> shift), &known[0]) ||
		    !is_old_or_own(launch, reads[i], own + (i >> shift), &known[1]))
			return false;
	for (uint32_t i = 0; i < count; i++)
		*(write ? &writes[i] : &reads[i]) = own + (i >> shift);
	return true;
}

/* A strong access publishes fences: what was fenced before it is released by it. */
static void note_strong(struct warp *w, const struct check_access *access, unsigned lane,
			const struct race_place *place)
{
	struct race_warp *race = w->race;
	uint64_t *released = place->cells->released + place->offset / 4;
	uint64_t before = cell_load(released);

	ASSERT(access->strong && lane < LANES);
	race->strong |= 1u << lane;
	race->strong_at[lane] = (uint64_t)released;
	if (access->kind != ACCESS_WRITE && place->cells == &race_global)
		race->reads_global |= 1u << lane;
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

	ASSERT(race && !(lanes & ~w->live));
	race->strong = race->reads_global = 0;
	race->unknown_place = false;
	if (access->release)
		race_fence(w);
	if (access->release && access->system)
		race_release_to_host(w);
	if (!race->tag && !race_segment(w))
		return;
	FOR_BITS(l, lanes) {
		struct race_place place;

		if (!find_place(w, access, access->at[l], &place)) {
			race->unknown_place |= access->strong && !access->shared;
			continue;
		}
		if (access->strong)
			note_strong(w, access, l, &place);
		place.hold = race_hold(place.cells, place.offset, access->size);
		note_flag(w, access, &place);
		if (access->size < 4)
			check_bytes(w, ip, access, l, &place);
		else
			check_words(w, ip, access, l, &place);
		race_unhold(place.hold);
	}
}

/* Tells whether what was read may be of another operation or the host, written after race_check()
 * perhaps. */
static bool may_have_learned(const struct warp *w)
{
	const struct race_warp *race = w->race;

	if (race->unknown_place)
		return true;
	FOR_BITS(l, race->reads_global) {
		const uint64_t *released = (uint64_t *)race->strong_at[l];
		const uint64_t offset = 4 * (uint64_t)(released - race_global.released);

		if (written_by_another_operation(w->cta->launch, offset) ||
		    may_be_host_written(offset))
			return true;
	}
	return false;
}

void race_acquire(struct warp *w, bool acquire)
{
	struct race_warp *race = w->race;

	if (may_have_learned(w))
		order_learn(w->cta->launch->order);
	FOR_BITS(l, race->strong) {
		const uint64_t *released = (uint64_t *)race->strong_at[l];

		race->pending = later(race->pending,
				      __atomic_load_n(released, __ATOMIC_ACQUIRE));
	}
	race->strong = race->reads_global = 0;
	race->unknown_place = false;
	if (acquire)
		race->acquired = later(race->acquired, race->pending);
}
