/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * CTAs: making one, and giving its warps their turns. What a CTA needs is one
 * allocation, recycled by the thread that runs it.
 */
#include <stdlib.h>
#include <sys/mman.h>

#include "access.h"
#include "cleanup.h"
#include "config.h"
#include "race.h"
#include "special.h"
#include "sync.h"
#include "warp.h"

enum {
	TURN = 4096,    /* back-edges that a warp takes before the next gets its turn */
	DOUBT = 128,    /* after so many of them, it may be that it only waits: */
	PROOF = 16,     /* when the next ones change none of its registers */
	PATIENCE = 64,  /* those of a group while others of its warp wait */
	RECYCLED = 8,   /* CTAs that a thread keeps */
	SHARED_ALIGN = 1024,
};

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
	for (uint32_t i = 0; i < cta->warp_count; i++) {
		free(cta->warps[i].levels);
		cta->warps[i].levels = NULL;
	}
	if (recycling.count == RECYCLED) {
		release(cta);
		return;
	}
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
	memcpy(ctas, cta->own.ctas, sizeof(ctas));
	while (size)
		member_free(ctas[--size]);
}
DEFINE_CLEANUP(free_cta, struct cta *, cta_free)

void cta_thread_end(void)
{
	while (recycling.list) {
		struct cta *cta = recycling.list;

		recycling.list = cta->recycled;
		release(cta);
	}
	recycling.count = 0;
}

/* Takes a kept CTA of at least @size bytes, but not one many times as large. */
static struct cta *recycle(size_t size)
{
	for (struct cta **at = &recycling.list; *at; at = &(*at)->recycled) {
		struct cta *cta = *at;

		if (cta->capacity < size || cta->capacity / 4 > size + 65536)
			continue;
		*at = cta->recycled;
		recycling.count--;
		return cta;
	}
	return NULL;
}

/* Where the parts of a CTA's allocation stand. */
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

static void set_slot(struct warp *w, enum special special, uint64_t value)
{
	memcpy(w->rows + AT_SPECIAL_SLOTS + 8 * special, &value, sizeof(value));
}

/* The special registers that are the same for all threads. */
static void fill_slots(struct cta *cta, struct warp *w)
{
	const struct launch *launch = cta->launch;

	for (unsigned k = 0; k < 3; k++) {
		uint32_t cluster = launch->cluster[k];

		set_slot(w, SPECIAL_NTID_X + k, launch->block[k]);
		set_slot(w, SPECIAL_CTAID_X + k, cta->id[k]);
		set_slot(w, SPECIAL_NCTAID_X + k, launch->grid[k]);
		set_slot(w, SPECIAL_CLUSTERID_X + k, cta->id[k] / cluster);
		set_slot(w, SPECIAL_NCLUSTERID_X + k, launch->grid[k] / cluster);
		set_slot(w, SPECIAL_CLUSTER_CTAID_X + k, cta->id[k] % cluster);
		set_slot(w, SPECIAL_CLUSTER_NCTAID_X + k, cluster);
	}
	set_slot(w, SPECIAL_CLUSTER_CTARANK, cta->rank);
	set_slot(w, SPECIAL_CLUSTER_NCTARANK,
		 launch->cluster[0] * launch->cluster[1] * launch->cluster[2]);
	set_slot(w, SPECIAL_IS_CLUSTER, launch->clustered ? UINT32_MAX : 0);
	set_slot(w, SPECIAL_GRIDID, launch->id);
	set_slot(w, SPECIAL_ENVREG1, launch->workspace >> 32);
	set_slot(w, SPECIAL_ENVREG2, (uint32_t)launch->workspace);
	set_slot(w, SPECIAL_NWARPID, 64);
	set_slot(w, SPECIAL_SMID, cta->worker);
	set_slot(w, SPECIAL_NSMID, 1024);
	set_slot(w, SPECIAL_DYNAMIC_SMEM, launch->dynamic_shared);
	set_slot(w, SPECIAL_TOTAL_SMEM, cta->shared_size);
	set_slot(w, SPECIAL_AGGR_SMEM, cta->shared_size);
}

static void fill_constants(struct cta *cta, struct warp *w)
{
	const struct code *code = cta->code;
	uint64_t bases[] = { 0, (uint64_t)cta->launch->params, (uint64_t)cta->shared,
			     code->dynamic_at };

	for (size_t i = 0; i < code->constant_count; i++) {
		uint64_t value = code->constants[i].value + bases[code->constants[i].base];

		memcpy(w->rows + code->constants[i].slot, &value, sizeof(value));
	}
}

/* A special register that tells lanes apart in every warp alike. */
static uint32_t lane_value(enum special special, unsigned l)
{
	switch (special) {
	case SPECIAL_LANEID:
		return l;
	case SPECIAL_LANEMASK_EQ:
		return 1u << l;
	case SPECIAL_LANEMASK_LT:
		return (1u << l) - 1;
	case SPECIAL_LANEMASK_LE:
		return (2u << l) - 1;
	case SPECIAL_LANEMASK_GE:
		return ~((1u << l) - 1);
	case SPECIAL_LANEMASK_GT:
		return ~((2u << l) - 1);
	default:
		return 0;
	}
}

static void fill_lanes(struct cta *cta, struct warp *w)
{
	for (unsigned special = SPECIAL_LANEID; special <= SPECIAL_LANEMASK_LT; special++) {
		uint32_t *row = (uint32_t *)(w->rows + special_offset(special));

		if (!(cta->code->uses >> special_bit(special) & 1))
			continue;
		for (unsigned l = 0; l < LANES; l++)
			row[l] = lane_value(special, l);
	}
}

/* Takes what is the same in all warps from the first one, which has not run yet. */
static void copy_first(const struct code *code, struct warp *w, const uint8_t *first)
{
	const uint32_t lanes = (1u << special_bit(SPECIAL_TID_X)) - 1;

	memcpy(w->rows + AT_SPECIAL_SLOTS, first + AT_SPECIAL_SLOTS, 8 * SPECIAL_COUNT);
	if (code->uses & lanes)
		memcpy(w->rows + AT_SPECIAL_ROWS, first + AT_SPECIAL_ROWS,
		       128 * special_bit(SPECIAL_TID_X));
	memcpy(w->rows + code->constants_at, first + code->constants_at,
	       8 * code->constant_count);
}

/* The rows of %tid, whether they are read or not. */
static void fill_threads(const uint32_t block[3], struct warp *w, const uint32_t first[3])
{
	uint32_t *x = (uint32_t *)(w->rows + special_offset(SPECIAL_TID_X));
	uint32_t *y = (uint32_t *)(w->rows + special_offset(SPECIAL_TID_Y));
	uint32_t *z = (uint32_t *)(w->rows + special_offset(SPECIAL_TID_Z));
	uint32_t at[3] = { first[0], first[1], first[2] };

	for (unsigned l = 0; !(block[0] % LANES) && l < LANES; l++) {
		x[l] = at[0] + l;
		y[l] = at[1];
		z[l] = at[2];
	}
	for (unsigned l = 0; block[0] % LANES && l < LANES; l++) {
		x[l] = at[0];
		y[l] = at[1];
		z[l] = at[2];
		if (++at[0] < block[0])
			continue;
		at[0] = 0;
		if (++at[1] < block[1])
			continue;
		at[1] = 0;
		at[2]++;
	}
}

/* What tells a warp from the others. */
static void fill_own(struct cta *cta, struct warp *w)
{
	const uint32_t *block = cta->launch->block;
	const uint32_t thread = w->index * LANES, line = thread / block[0];
	const uint32_t first[] = { thread % block[0], line % block[1], line / block[1] };

	set_slot(w, SPECIAL_WARPID, w->index);
	set_slot(w, SPECIAL_TID_Y, first[1]); /* for code that is lowered for whole lines */
	set_slot(w, SPECIAL_TID_Z, first[2]);
	if (cta->code->uses >> special_bit(SPECIAL_TID_X))
		fill_threads(block, w, first);
}

static void start_warp(struct cta *cta, struct warp *w, uint32_t index, uint32_t threads,
		       const struct layout *layout)
{
	uint32_t rest = threads - index * LANES;
	uint32_t row_bytes = cta->code->row_bytes;

	memset(w, 0, sizeof(*w));
	w->cta = cta;
	w->index = index;
	w->rows = (uint8_t *)cta + layout->rows + (size_t)index * cta->code->warp_bytes;
	w->slots = (uint64_t *)(w->rows + cta->code->variants_at);
	w->kept = (uint64_t *)(w->rows + row_bytes);
	w->unkept = ~0u;
	w->hits = cta->hits;
	w->shared = cta->shared;
	w->shared_size = cta->shared_size;
	race_start_warp(cta, w, index);
	w->live = rest >= LANES ? ~0u : (1u << rest) - 1;
	memset(w->rows + AT_ROWS, 0, cta->code->constants_at - AT_ROWS);
	if (index) {
		copy_first(cta->code, w, cta->warps[0].rows);
	} else {
		fill_slots(cta, w);
		fill_constants(cta, w);
		fill_lanes(cta, w);
	}
	fill_own(cta, w);
	warp_wait(w, &cta->code->ops[cta->code->start], w->live, GROUP_READY, 0);
}

/* Where CTA @rank of cluster @index of the launch stands in the grid. */
static void place(struct cta *cta, uint64_t index, uint32_t rank)
{
	const struct launch *launch = cta->launch;

	for (unsigned k = 0; k < 3; k++) {
		const uint32_t size = launch->cluster[k], clusters = launch->grid[k] / size;

		cta->id[k] = (uint32_t)(index % clusters) * size + rank % size;
		index /= clusters;
		rank /= size;
	}
}

static int member_new(const struct launch *launch, uint64_t index, uint32_t rank,
		      uint32_t worker, struct cta **out, struct err *e)
{
	const struct entry *entry =
		(const struct entry *)((const char *)launch->kernel -
				       offsetof(struct entry, kernel));
	bool aligned = entry->aligned.op_count && !(launch->block[0] % LANES);
	const struct code *code = aligned ? &entry->aligned : &entry->code;
	uint32_t threads = launch->block[0] * launch->block[1] * launch->block[2];
	uint32_t warps = (threads + LANES - 1) / LANES;
	uint32_t shared = launch->dynamic_shared ? code->dynamic_at + launch->dynamic_shared :
						   entry->kernel.static_shared;
	struct layout layout = lay_out(code, warps, shared);
	CLEANUP(free_member) struct cta *cta = recycle(layout.size);
	size_t capacity = cta ? cta->capacity : layout.size;
	uint8_t *local = cta ? cta->local : NULL;
	uint64_t local_size = cta ? cta->local_size : 0;
	struct cta_check *check = cta ? cta->check : NULL;
	struct race_cta *race = cta ? cta->race : NULL;

	*out = NULL;
	if (!cta)
		cta = aligned_alloc(SHARED_ALIGN, layout.size);
	if (!cta)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for a block of %u threads",
			       threads);
	memset(cta, 0, sizeof(*cta));
	cta->capacity = capacity;
	cta->local = local;
	cta->local_size = local_size;
	cta->check = check;
	cta->race = race;
	cta->launch = launch;
	cta->code = code;
	cta->worker = worker;
	cta->rank = rank;
	cta->live = threads;
	cta->shared = (uint8_t *)cta + layout.shared;
	cta->shared_size = shared;
	place(cta, index, rank);
	TRY(reserve_stacks(cta, threads, e));
	memset(cta->shared, 0, shared);
	TRY(cta_check_start(cta, e));
	for (uint32_t i = 0; i < warps; i++) {
		start_warp(cta, &cta->warps[i], i, threads, &layout);
		cta->warp_count = i + 1;
	}
	*out = STEAL(cta);
	return 0;
}

int cta_new(const struct launch *launch, uint64_t index, uint32_t worker, struct cta **out,
	    struct err *e)
{
	const uint32_t size = launch->cluster[0] * launch->cluster[1] * launch->cluster[2];
	CLEANUP(free_cta) struct cta *first = NULL;

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

/* How many back-edges a group takes while others wait; any number will do. */
static uint32_t patience(void)
{
	static _Thread_local uint64_t state;

	if (!config.random_schedule)
		return PATIENCE;
	state = state * 6364136223846793005u + 2 * config.seed + 1;
	return (uint32_t)(state >> 33) % 4;
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

/* A number that stands for where @group of @w is and what the registers hold. */
static uint64_t fingerprint(const struct warp *w, const struct group *group)
{
	uint64_t word, sum = (uintptr_t)group->pc ^ group->mask;

	for (int32_t at = AT_ROWS; at < w->cta->code->constants_at; at += 8) {
		memcpy(&word, w->rows + at, sizeof(word));
		sum = (sum ^ word) * 0x9e3779b97f4a7c15u;
		sum ^= sum >> 32;
	}
	return sum;
}

/* Runs @w for at most @budget back-edges. Returns the only group left, if it is in a loop. */
static const struct group *run(struct cta *cta, struct warp *w, int32_t budget)
{
	w->budget = budget;
	cta->code->run(w);
	cta->spent += (uint32_t)(budget - (w->budget > 0 ? w->budget : 0)) / 4;
	return w->budget < 0 && !cta->faulted ? only_ready(w) : NULL;
}

/*
 * Runs one warp for a turn. A group that comes back to its loop with the same
 * registers waits for memory that others have to write: when it is the only one, the
 * turn is over, for several take turns of their own.
 */
static void turn(struct cta *cta, struct warp *w)
{
	const struct group *group;
	int32_t rest = TURN - DOUBT;
	bool waits = false;

	w->spin = 0;
	w->patience = patience();
	cta->spent += 16;
	group = run(cta, w, DOUBT);
	if (group) {
		uint64_t before = fingerprint(w, group);

		rest -= PROOF;
		group = run(cta, w, PROOF);
		waits = group && before == fingerprint(w, group);
	}
	cta->slept |= waits;
	if (w->budget < 0 && !waits && !cta->faulted)
		run(cta, w, rest);
}

/* Nobody can ever run again: says where a warp waits. */
static void deadlock(struct cta *cta)
{
	for (uint32_t i = 0; i < cta->warp_count; i++) {
		struct warp *w = &cta->warps[i];

		if (!w->group_count)
			continue;
		fault_set(w, w->groups[0].pc, w->groups[0].mask, CUDA_ERROR_LAUNCH_FAILED,
			  "deadlock: %u threads of the block wait for others that never come",
			  cta->live);
		return;
	}
}

static bool stopped(const struct cta *cta)
{
	return atomic_load_explicit(&cta->launch->stop, memory_order_relaxed);
}

/* Runs one CTA; *@idle: it has not run, since all of its threads wait for others. */
static enum cta_state run_member(struct cta *cta, uint32_t slice, bool *idle)
{
	*idle = cta->live;
	memset(cta->hits, 0, sizeof(cta->hits));
	cta->spent = 0;
	while (cta->live) {
		const uint64_t events = cta->cluster->events;
		bool ran = false;

		cta->slept = false;
		for (uint32_t i = 0; i < cta->warp_count; i++) {
			struct warp *w = &cta->warps[cta->next];

			cta->next = cta->next + 1 == cta->warp_count ? 0 : cta->next + 1;
			if (!warp_ready(w))
				continue;
			ran = true;
			*idle = false;
			turn(cta, w);
			if (cta->faulted)
				return CTA_FAULTED;
			if (cta->spent >= slice && cta->live)
				return stopped(cta) ? CTA_STOPPED : CTA_YIELDED;
		}
		if (cta->live && stopped(cta))
			return CTA_STOPPED;
		if (!ran || (cta->slept && cta->cluster->events == events))
			return cta->live ? CTA_YIELDED : CTA_DONE;
	}
	return CTA_DONE;
}

/*
 * The CTAs of a cluster run in turn, as long as what one has done may be what
 * another waits for.
 */
enum cta_state cta_run(struct cta *cta, uint32_t slice)
{
	struct cluster *cluster = cta->cluster;
	uint64_t events, spent = 0;
	bool idle, live;

	do {
		struct cta *waiting = NULL;

		events = cluster->events;
		idle = true;
		live = false;
		for (uint32_t i = 0; i < cluster->size; i++) {
			struct cta *member = cluster->ctas[i];
			bool waits;
			enum cta_state state = run_member(member, slice, &waits);

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
				sync_unstick(waiting);
				return CTA_YIELDED;
			}
			deadlock(waiting);
			return CTA_FAULTED;
		}
	} while (live && cluster->events != events && spent < slice);
	return live ? CTA_YIELDED : CTA_DONE;
}
