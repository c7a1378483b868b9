/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * CTAs: creating them, and running their warps in time slices. A CTA's memory is
 * one allocation, recycled by the thread that runs it.
 */
#include <stdlib.h>
#include <sys/mman.h>

#include "access.h"
#include "arena.h"
#include "asserts.h"
#include "cleanup.h"
#include "clock.h"
#include "compiled.h"
#include "config.h"
#include "hash.h"
#include "kernel_time.h"
#include "lower_entry.h"
#include "machine.h"
#include "race.h"
#include "sync.h"
#include "turn.h"
#include "warp.h"

enum {
	PROOF = 16,     /* a warp only waits if so many back-edges change none of its registers */
	RECYCLED = 8,   /* CTAs that a thread keeps */
	SHARED_ALIGN = 1024,
};

static_assert(CLUSTER_MOST >= 2 * DEVICE_CLUSTER, "a kernel may allow clusters that large");

static _Thread_local struct {
	struct cta *list;
	unsigned count;
} recycling;

static void release(struct cta *cta)
{
	for (uint32_t i = 0; i < cta->warp_count; i++)
		free(cta->warps[i].levels);
	if (cta->local)
		munmap(cta->local, cta->local_size);
	cta_check_release(cta);
	free(cta);
}

static void member_free(struct cta *cta)
{
	if (!cta)
		return;
	race_end(cta);
	for (uint32_t i = 0; cta->code->callee_count && i < cta->warp_count; i++) {
		free(cta->warps[i].levels);
		cta->warps[i].levels = NULL;
	}
	if (recycling.count == RECYCLED) {
		release(cta);
		return;
	}
	ASSERT(recycling.count < RECYCLED);
	if (cta->live) /* its warps have not executed the code before code->again */
		cta->launch_id = 0;
	cta->recycled = recycling.list;
	recycling.list = cta;
	recycling.count++;
}
DEFINE_CLEANUP(free_member, struct cta *, member_free)

void cta_free(struct cta *cta)
{
	struct cta *ctas[CLUSTER_MOST];
	uint32_t size;

	if (!cta)
		return;
	size = cta->own.size;
	ASSERT(size && size <= CLUSTER_MOST && cta->own.ctas[0] == cta);
	if (size == 1) {
		member_free(cta);
		return;
	}
	memcpy(ctas, cta->own.ctas, sizeof(ctas));
	while (size)
		member_free(ctas[--size]);
}
DEFINE_CLEANUP(free_cta, struct cta *, cta_free)

void cta_thread_end(void)
{
	ASSERT(recycling.count <= RECYCLED);
	while (recycling.list) {
		struct cta *cta = recycling.list;

		recycling.list = cta->recycled;
		release(cta);
	}
	recycling.count = 0;
}

/* Tells whether @cta was one of @launch, run by @worker. */
static bool is_of(const struct cta *cta, const struct launch *launch, uint32_t worker)
{
	return launch->id && cta->launch == launch && cta->launch_id == launch->id &&
	       cta->worker == worker;
}

static struct cta *unlink_recycled(struct cta **at)
{
	struct cta *cta = *at;

	ASSERT(recycling.count);
	*at = cta->recycled;
	recycling.count--;
	return cta;
}

/* Removes and returns a kept CTA of @launch; or NULL. */
static struct cta *recycle_same(const struct launch *launch, uint32_t worker)
{
	for (struct cta **at = &recycling.list; *at; at = &(*at)->recycled)
		if (is_of(*at, launch, worker))
			return unlink_recycled(at);
	return NULL;
}

/* Removes and returns a kept CTA of at least @size bytes, but not many times as large; or NULL. */
static struct cta *recycle(size_t size)
{
	for (struct cta **at = &recycling.list; *at; at = &(*at)->recycled)
		if ((*at)->capacity >= size && (*at)->capacity / 4 <= size + 65536)
			return unlink_recycled(at);
	return NULL;
}

/* Where the parts of a CTA's allocation are. */
struct layout {
	size_t rows, shared, size;
};

static struct layout lay_out(const struct code *code, uint32_t warps, uint32_t shared)
{
	size_t head = sizeof(struct cta) + warps * sizeof(struct warp);
	struct layout layout;

	layout.rows = (head + 63) & ~(size_t)63;
	layout.shared = layout.rows + (size_t)warps * code->warp_bytes;
	layout.shared = (layout.shared + SHARED_ALIGN - 1) & ~(size_t)(SHARED_ALIGN - 1);
	ASSERT(warps && warps <= DEVICE_MAX_THREADS / LANES);
	layout.size = (layout.shared + shared + SHARED_ALIGN) & ~(size_t)(SHARED_ALIGN - 1);
	return layout;
}

static int reserve_stacks(struct cta *cta, uint32_t threads, struct err *e)
{
	uint64_t size = (uint64_t)((threads + LANES - 1) / LANES * LANES) * cta->code->stack;
	void *stacks;

	cta->stack = cta->code->stack;
	if (size <= cta->local_size)
		return 0;
	if (cta->local)
		munmap(cta->local, cta->local_size);
	cta->local = NULL;
	cta->local_size = 0;
	stacks = mmap(NULL, size, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (stacks == MAP_FAILED)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for %llu bytes of stacks",
			       (unsigned long long)size);
	cta->local = stacks;
	cta->local_size = size;
	return 0;
}

/* Divides *@number by @by; returns the rest. In most dimensions of most grids there is nothing to
 * divide, which takes long. */
static uint32_t divide_off(uint64_t *number, uint32_t by)
{
	const uint64_t whole = *number;

	if (by == 1)
		return 0;
	*number = whole < by ? 0 : whole / by;
	return (uint32_t)(whole - *number * by);
}

/* Sets the place in the grid of CTA @rank of cluster @index. Returns a bit for each of x, y and z
 * that was another one. */
static uint32_t set_place(struct cta *cta, uint64_t index, uint32_t rank)
{
	const struct launch *launch = cta->launch;
	uint64_t within = rank;
	uint32_t moved = 0;

	for (unsigned k = 0; k < 3; k++) {
		const uint32_t size = launch->cluster[k];
		const uint32_t clusters = size == 1 ? launch->grid[k] : launch->grid[k] / size;
		const uint32_t first = divide_off(&index, clusters) * size;
		const uint32_t id = first + divide_off(&within, size);

		ASSERT(id < launch->grid[k]);
		moved |= (uint32_t)(id != cta->id[k]) << k;
		cta->id[k] = id;
	}
	return moved;
}

/* Initialises a CTA in the memory of another one, whose buffers it keeps. */
static void begin_anew(struct cta *cta, const struct launch *launch, struct code *code,
		       uint32_t worker)
{
	const struct cta old = *cta;

	memset(cta, 0, sizeof(*cta));
	cta->capacity = old.capacity;
	cta->local = old.local;
	cta->local_size = old.local_size;
	cta->check = old.check;
	cta->race = old.race;
	cta->launch = launch;
	cta->launch_id = launch->id;
	cta->code = code;
	cta->worker = worker;
}

/* CTA @rank of cluster @index in the memory of one of the same launch, all of whose threads have
 * exited. */
static int begin_again(struct cta *cta, uint64_t index, uint32_t rank, uint32_t threads,
		       struct err *e)
{
	uint32_t moved;

	ASSERT(!cta->live && cta->warp_count == (threads + LANES - 1) / LANES);
	if (cta->progress.barriers_used) /* its last threads arrived, and did not wait */
		memset(cta->progress.barriers, 0, sizeof(cta->progress.barriers));
	memset(&cta->progress, 0, offsetof(struct progress, barriers));
	memset(&cta->own, 0, offsetof(struct cluster, ctas));
	cta->rank = rank;
	cta->live = threads;
	moved = set_place(cta, index, rank);
	if (cta->shared_size)
		memset(cta->shared, 0, cta->shared_size);
	TRY(cta_check_start(cta, e));
	cta_restart(cta, moved);
	return 0;
}

/* A CTA's memory: of an ended one, or new. */
static int find_memory(const struct launch *launch, size_t size, struct cta **out, struct err *e)
{
	struct cta *cta = recycle(size);

	*out = cta;
	if (cta)
		return 0;
	*out = cta = aligned_alloc(SHARED_ALIGN, size);
	if (!cta)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for a block of %u threads",
			       launch->block[0] * launch->block[1] * launch->block[2]);
	memset(cta, 0, size);
	cta->capacity = size;
	return 0;
}

/* The first CTA of @launch that @worker begins, or one more while it has others. */
static int begin_first(const struct launch *launch, uint64_t index, uint32_t rank,
		       uint32_t threads, uint32_t worker, struct cta **out, struct err *e)
{
	CLEANUP(free_member) struct cta *cta = NULL;
	uint32_t shared = launch->kernel->static_shared;
	struct code *code;
	struct layout layout;

	*out = NULL;
	TRY(entry_code(launch->kernel->entry, launch->block, compiled_wanted(), &code, e));
	compiled_prepare(launch, code);
	if (launch->dynamic_shared)
		shared = code->dynamic_at + launch->dynamic_shared;
	if (code->reserved)
		shared = ((shared + 15) & ~15u) + CTA_RESERVED;
	layout = lay_out(code, (threads + LANES - 1) / LANES, shared);
	TRY(find_memory(launch, layout.size, &cta, e));
	begin_anew(cta, launch, code, worker);
	ASSERT(layout.size <= cta->capacity && rank < CLUSTER_MOST);
	cta->rank = rank;
	cta->live = threads;
	cta->shared = (uint8_t *)cta + layout.shared;
	cta->shared_size = shared;
	set_place(cta, index, rank);
	TRY(reserve_stacks(cta, threads, e));
	if (shared)
		memset(cta->shared, 0, shared);
	TRY(cta_check_start(cta, e));
	cta_start(cta, (uint8_t *)cta + layout.rows);
	*out = STEAL(cta);
	return 0;
}

static int member_new(const struct launch *launch, uint64_t index, uint32_t rank,
		      uint32_t worker, struct cta **out, struct err *e)
{
	const uint32_t threads = launch->block[0] * launch->block[1] * launch->block[2];
	CLEANUP(free_member) struct cta *cta = recycle_same(launch, worker);

	*out = NULL;
	if (!cta)
		return begin_first(launch, index, rank, threads, worker, out, e);
	TRY(begin_again(cta, index, rank, threads, e));
	*out = STEAL(cta);
	return 0;
}

int cta_new(const struct launch *launch, uint64_t index, uint32_t worker, struct cta **out,
	    struct err *e)
{
	const uint32_t size = launch->cluster[0] * launch->cluster[1] * launch->cluster[2];
	CLEANUP(free_cta) struct cta *first = NULL;

	ASSERT(size && size <= CLUSTER_MOST && launch->fault && launch->kernel);
	*out = NULL;
	TRY(member_new(launch, index, 0, worker, &first, e));
	first->cluster = &first->own;
	first->own.ctas[0] = first;
	first->own.size = 1;
	while (first->own.size < size) {
		struct cta **member = &first->own.ctas[first->own.size];

		TRY(member_new(launch, index, first->own.size, worker, member, e));
		(*member)->cluster = &first->own;
		first->own.size++;
	}
	*out = STEAL(first);
	return 0;
}

/* The group of @w that can run, where there is only one; else NULL. */
static const struct group *only_ready(const struct warp *w)
{
	const struct group *only = NULL;

	for (uint32_t i = 0; i < w->group_count; i++) {
		if (w->groups[i].state != GROUP_READY)
			continue;
		if (only)
			return NULL;
		only = &w->groups[i];
	}
	return only;
}

/*
 * A hash of where @group of @w is, how deep in calls, and of its registers. Several sums, so
 * that no multiplication has to wait for the preceding one.
 */
static uint64_t fingerprint(const struct warp *w, const struct group *group)
{
	enum { SUMS = 8 };
	const int32_t end = w->cta->code->constants_at;
	uint64_t words[SUMS] = { 0 }, sums[SUMS] = { (uintptr_t)group->pc ^ group->mask };

	for (int32_t at = AT_ROWS; at < end; at += (int32_t)sizeof(words)) {
		int32_t size = end - at;

		memcpy(words, w->rows + at,
		       size < (int32_t)sizeof(words) ? (size_t)size : sizeof(words));
		for (unsigned k = 0; k < SUMS; k++)
			sums[k] = hash_add(sums[k], words[k]);
	}
	for (unsigned k = 1; k < SUMS; k++)
		sums[0] = hash_add(sums[0], sums[k]);
	for (unsigned l = 0; w->level_count && l < LANES; l++)
		sums[0] = hash_add(sums[0], (uint64_t)w->depth[l] << 32 | w->frame[l]);
	return sums[0];
}

/* Runs @w, and warps that follow it by cta_turn(). Returns the only group left of @cta->now, if
 * that did not end. */
static const struct group *run(struct cta *cta, struct warp *w)
{
	ASSERT(!cta->progress.faulted && w->group_count);
	cta->code->run(w);
	w = cta->now;
	ASSERT(cta->progress.faulted || (!w->mask && w->group_count <= LANES));
	cta->spent = turn_spent(cta, w);
	return w->budget < 0 && !cta->progress.faulted ? only_ready(w) : NULL;
}

/*
 * Runs one warp for a time slice, and those whose slices follow by cta_turn(). A group that is
 * again at its loop with the same registers waits for memory that others have to write: when
 * it is the only one, the slice ends; several alternate by themselves.
 */
static void run_slice(struct cta *cta, struct warp *w)
{
	const struct group *group = config.check & CHECK_SYNC ? only_ready(w) : NULL;
	const struct group from = group ? *group : (struct group){ 0 };
	int32_t rest = SLICE - DOUBT;
	bool waits = false;

	turn_begin(cta, w);
	cta->turns = !config.check;
	cta->in_order = cta->turns && !config.random_schedule;
	group = run(cta, w);
	cta->turns = cta->in_order = false;
	w = cta->now;
	if (w->granted == SLICE)
		return;
	if (group) {
		uint64_t before = fingerprint(w, group);

		rest -= PROOF;
		turn_grant(w, PROOF);
		group = run(cta, w);
		waits = group && before == fingerprint(w, group);
	}
	cta->progress.slept |= waits;
	if (w->budget < 0 && !waits && !cta->progress.faulted) {
		turn_grant(w, rest);
		run(cta, w);
	}
	if (config.check & CHECK_SYNC)
		deadlock_note(w, &from, waits ? group : NULL);
}

/* No thread can ever run again: a fault that says where a warp waits. */
static void deadlock(struct cta *cta)
{
	for (uint32_t i = 0; i < cta->warp_count; i++) {
		struct warp *w = &cta->warps[i];

		if (!w->group_count)
			continue;
		fault_set(w, w->groups[0].pc, w->groups[0].mask, ABOUT(DEADLOCK),
			  "deadlock: %u threads of the block wait for others that never arrive",
			  cta->live);
		return;
	}
}

static bool stopped(const struct cta *cta)
{
	return atomic_load_explicit(&cta->launch->stop, memory_order_relaxed);
}

/*
 * Hits of memory ops are valid for a slice, and for the next ones as long as no block ends. In
 * a cluster they may be of a CTA's memory that is reused by now.
 */
static void forget_hits(struct cta *cta)
{
	const uint64_t ends = atomic_load_explicit(&arena_ends, memory_order_acquire);

	if (cta->hits_at == ends && cta->cluster->size == 1)
		return;
	cta->hits_at = ends;
	memset(cta->hits, 0, sizeof(cta->hits));
}

/* Runs one CTA; *@idle: it has not run, because all its threads wait for others. */
static enum cta_state run_member(struct cta *cta, uint32_t slice, bool *idle)
{
	*idle = cta->live;
	forget_hits(cta);
	cta->spent = 0;
	cta->slice = slice;
	cta->part = turn_part(cta);
	while (cta->live) {
		const uint64_t events = cta->cluster->events;
		struct warp *w;
		bool ran = false;

		cta->progress.slept = false;
		cta->progress.unseen = cta->warp_count;
		while ((w = turn_next(cta))) {
			ran = true;
			*idle = false;
			run_slice(cta, w);
			if (cta->progress.faulted)
				return CTA_FAULTED;
			if (cta->spent >= slice && cta->live)
				return stopped(cta) ? CTA_STOPPED : CTA_YIELDED;
		}
		if (cta->live && stopped(cta))
			return CTA_STOPPED;
		if (!ran || (cta->progress.slept && cta->cluster->events == events))
			return cta->live ? CTA_YIELDED : CTA_DONE;
	}
	return CTA_DONE;
}

/*
 * The CTAs of a cluster run alternately, as long as one may have done what another
 * waits for. Adds what they have spent to *@sum.
 */
static enum cta_state run_cluster(struct cta *cta, uint32_t slice, uint64_t *sum)
{
	struct cluster *cluster = cta->cluster;
	uint64_t events, spent = 0;
	bool idle, live;

	ASSERT(cluster->size && cluster->ctas[0] == cta && cluster == &cta->own);
	fp_write(FP_RN); /* a thread starts with the mode of its creator */
	do {
		const struct warp *spinning;
		struct cta *waiting = NULL;

		events = cluster->events;
		idle = true;
		live = false;
		for (uint32_t i = 0; i < cluster->size; i++) {
			struct cta *member = cluster->ctas[i];
			bool waits;
			enum cta_state state = run_member(member, slice, &waits);

			*sum += member->spent;
			if (state == CTA_FAULTED || state == CTA_STOPPED)
				return state;
			if (waits)
				waiting = member;
			spent += member->spent;
			idle &= waits || !member->live;
			live |= state == CTA_YIELDED;
		}
		if (idle && waiting && cluster->events == events && !spent) {
			if (config.check & CHECK_SYNC) {
				sync_resolve_deadlock(waiting);
				return CTA_YIELDED;
			}
			deadlock(waiting);
			return CTA_FAULTED;
		}
		spinning = live && config.check & CHECK_SYNC ? deadlock_find(cluster) : NULL;
		if (spinning) {
			sync_end_spin(spinning);
			return CTA_YIELDED;
		}
	} while (live && cluster->events != events && spent < slice);
	for (uint32_t i = 0; !live && cta->launch->counted && i < cluster->size; i++)
		count_end(cluster->ctas[i]);
	return live ? CTA_YIELDED : CTA_DONE;
}

enum cta_state cta_run(struct cta *cta, uint32_t slice)
{
	const bool counts = compiled_counts(cta->code), timed = cta->code->time;
	const uint64_t begin = counts || timed ? clock_now() : 0;
	const uint64_t ticks = timed ? host_ticks() : 0;
	uint64_t spent = 0;
	const enum cta_state state = run_cluster(cta, slice, &spent);

	if (timed)
		kernel_time_add(cta, clock_now() - begin, host_ticks() - ticks);
	if (counts)
		compiled_count(cta->launch, cta->code, clock_now() - begin, spent);
	return state;
}
