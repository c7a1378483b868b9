/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "worker.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <time.h>

#include "asserts.h"
#include "config.h"
#include "device_limits.h"
#include "driver.h"
#include "grid.h"
#include "lock.h"
#include "task.h"
#include "pool.h"
#include "report.h"
#include "tickets.h"

#define SLICE 2048u           /* a quarter of a millisecond in a loop of few instructions */
#define SHORT_SLICE_NS 100000 /* a slice this short has ended early: the CTA waits */
#define PATIENCE_NS 2000000   /* CTAs that run longer may be waiting for one not begun */
#define PATIENCE_SLICES 2     /* and all of them have had so many */
#define ROUNDS_AWAKE 64       /* rounds in which all CTAs only wait, before pausing */
#define PAUSE_NS 50000

/* A CTA that has begun. */
struct resident {
	struct grid *grid;
	struct cta *cta;
	bool yielded;
};

struct worker {
	unsigned index;
	_Atomic uint64_t units;  /* odd while it executes something: for pool_quiesce() */
	struct resident ring[DEVICE_RESIDENT];
	unsigned first, count;
	struct grid *sole;       /* the only grid with CTAs to assign, at @version */
	uint64_t version;
	bool none_left;          /* no grid had any, at @version */
	uint64_t credit;         /* CTAs that may be begun although it has others */
	uint64_t progress;       /* when a CTA finished last, or others were begun; 0: just now */
	uint64_t short_slices;   /* in a row */
	uint64_t long_slices;    /* since then */
	uint64_t random;
	struct grid *postponed;  /* a CTA of it could not begin: no memory */
	uint64_t postponed_index;
};

/* ---- CTAs that have begun ---------------------------------------------------- */

static struct resident *at(struct worker *w, unsigned position)
{
	return &w->ring[(w->first + position) % DEVICE_RESIDENT];
}

static void push_back(struct worker *w, struct resident resident)
{
	ASSERT(w->count < DEVICE_RESIDENT && resident.grid && resident.cta);
	*at(w, w->count++) = resident;
}

static struct resident pop_front(struct worker *w)
{
	struct resident resident;

	ASSERT(w->count && w->count <= DEVICE_RESIDENT && w->first < DEVICE_RESIDENT);
	if (config.random_schedule) {
		struct resident *front = at(w, 0), *other;

		w->random = w->random * 6364136223846793005u + 1442695040888963407u;
		other = at(w, (unsigned)(w->random >> 33) % w->count);
		resident = *front;
		*front = *other;
		*other = resident;
	}
	resident = *at(w, 0);
	w->first = (w->first + 1) % DEVICE_RESIDENT;
	w->count--;
	return resident;
}

/* ---- Beginning CTAs ---------------------------------------------------------- */

/* The caller holds the driver's lock. */
static void forget_sole(struct worker *w)
{
	ASSERT(lock_is_held(LOCK_DRIVER));
	if (w->sole)
		task_put(w->sole->task);
	w->sole = NULL;
}

static struct grid *next_cta(struct worker *w, uint64_t *index)
{
	struct grid *grid;
	bool sole;

	if (w->none_left && w->version == atomic_load(&grid_version))
		return NULL;
	/* First what this worker has kept: others may not see it. */
	if (w->sole && tickets_next_kept(w->sole->tickets, w->index, index))
		return w->sole;
	if (w->sole && w->version == atomic_load(&grid_version) &&
	    tickets_pop(w->sole->tickets, w->index, index))
		return w->sole;
	driver_lock();
	forget_sole(w);
	grid = grid_pop_cta(w->index, index, &sole);
	w->version = atomic_load(&grid_version);
	w->none_left = !grid;
	if (grid && sole) {
		w->sole = grid;
		task_get(grid->task);
	}
	driver_unlock();
	return grid;
}

static void out_of_memory(struct grid *grid, const struct err *e)
{
	const struct about about = ABOUT(OUT_OF_MEMORY);
	struct gpurun_report report = report_about(GPURUN_REPORT_FAULT, &about, e->text);
	int none = 0;

	_Static_assert(sizeof(report.grid) == sizeof(grid->launch.grid) &&
		       sizeof(report.block_size) == sizeof(grid->launch.block), "both x, y, z");
	report.kernel = grid->launch.kernel->name;
	memcpy(report.grid, grid->launch.grid, sizeof(report.grid));
	memcpy(report.block_size, grid->launch.block, sizeof(report.block_size));
	if (atomic_compare_exchange_strong(&grid->fault.code, &none, CUDA_ERROR_OUT_OF_MEMORY))
		grid->fault.record = report_copy(&report);
}

static void fail(struct grid *grid)
{
	ASSERT(atomic_load(&grid->fault.code));
	driver_lock();
	if (!pool_ending())
		grid_fail(grid->task->domain, (CUresult)atomic_load(&grid->fault.code));
	driver_unlock();
}

static void progress(struct worker *w, uint64_t now)
{
	w->progress = now;
	w->long_slices = 0;
}

static bool begin_cta(struct worker *w, struct grid *grid, uint64_t index)
{
	struct resident resident = { .grid = grid };
	struct err e; /* of a kilobyte, which is not cleared for each CTA */

	ASSERT(index < grid->total && !w->postponed);
	if (!cta_new(&grid->launch, index, w->index, &resident.cta, &e)) {
		push_back(w, resident);
		if (w->count == 1)
			progress(w, 0);
		return true;
	}
	if (w->count && e.code == GPURUN_NO_MEMORY) {
		w->postponed = grid;
		w->postponed_index = index;
		return false;
	}
	out_of_memory(grid, &e);
	fail(grid);
	grid_finish(grid, 1);
	return true;
}

/* Begins one more CTA, or fails its grid; false when there is none, or no room. */
static bool begin(struct worker *w)
{
	struct grid *grid = w->postponed;
	uint64_t index = w->postponed_index;

	if (w->count == DEVICE_RESIDENT)
		return false;
	w->postponed = NULL;
	if (!grid)
		grid = next_cta(w, &index);
	return grid && begin_cta(w, grid, index);
}

/* Tells whether one more CTA should be begun although there are some to run. */
static bool wants_more(struct worker *w)
{
	if (w->version != atomic_load(&grid_version))
		return true;
	if (!w->credit)
		return false;
	w->credit--;
	return true;
}

/* ---- Running them ---------------------------------------------------------------- */

static void pause_waiting(struct worker *w)
{
	const struct timespec pause = { 0, PAUSE_NS };

	if (++w->short_slices < w->count + 1u)
		return;
	if (w->short_slices < (w->count + 1u) * (uint64_t)ROUNDS_AWAKE)
		sched_yield();
	else if (w->short_slices % (w->count + 1u) == 0)
		nanosleep(&pause, NULL);
}

static void yielded(struct worker *w, struct resident resident, uint64_t began)
{
	uint64_t now = clock_now();

	resident.yielded = true;
	push_back(w, resident);
	if (!w->progress)
		progress(w, now);
	if (now - began < SHORT_SLICE_NS) {
		w->credit = 1;
		pause_waiting(w);
		return;
	}
	w->short_slices = 0;
	if (++w->long_slices < (uint64_t)PATIENCE_SLICES * w->count ||
	    now - w->progress < PATIENCE_NS)
		return;
	progress(w, now);
	w->credit = w->count;
}

/* What it looks up comes after this, for all threads. */
static void begin_unit(struct worker *w)
{
	ASSERT(!(w->units & 1) && !lock_is_held(LOCK_DRIVER));
	atomic_fetch_add(&w->units, 1);
}

static void end_unit(struct worker *w)
{
	const uint64_t units = atomic_load_explicit(&w->units, memory_order_relaxed);

	ASSERT(units & 1);
	atomic_store_explicit(&w->units, units + 1, memory_order_release);
}

static enum cta_state run_slice(struct worker *w, struct cta *cta)
{
	enum cta_state state;

	begin_unit(w);
	state = cta_run(cta, SLICE);
	end_unit(w);
	return state;
}

/* The first slice of a CTA that is alone is not timed and counts as a long one: most end in it. */
static void run_one(struct worker *w)
{
	struct resident resident = pop_front(w);
	uint64_t began = w->count || resident.yielded ? clock_now() : 0;
	enum cta_state state = run_slice(w, resident.cta);

	if (state == CTA_YIELDED) {
		yielded(w, resident, began);
		return;
	}
	w->short_slices = 0;
	progress(w, began);
	cta_free(resident.cta);
	if (state == CTA_FAULTED)
		fail(resident.grid);
	grid_finish(resident.grid, 1);
}

static void run_task(struct worker *w)
{
	struct task *task;

	driver_lock();
	task = pool_pop_task();
	driver_unlock();
	if (!task)
		return;
	begin_unit(w);
	task_begins(task);
	task_execute(task);
	end_unit(w);
	driver_lock();
	if (!pool_ending())
		task_done(task);
	driver_unlock();
}

/* Sleeps unless there is work; false when the thread is to end. */
static bool rest(struct worker *w)
{
	bool more;

	ASSERT(!w->count && !w->postponed); /* others would wait for what it has */
	driver_lock();
	forget_sole(w);
	more = pool_sleep();
	driver_unlock();
	return more;
}

static void work(struct worker *w)
{
	while (!pool_ending()) {
		bool begun;

		if (atomic_load_explicit(&pool_has_tasks, memory_order_relaxed))
			run_task(w);
		begun = (!w->count || wants_more(w)) && begin(w);
		if (w->count)
			run_one(w);
		else if (!begun && !rest(w))
			return;
	}
}

void worker_run(unsigned index)
{
	struct worker w = { .index = index, .random = config.seed + index };

	driver_lock();
	pool_count_at(index, &w.units);
	driver_unlock();
	work(&w);
	while (w.count)
		cta_free(pop_front(&w).cta);
	cta_thread_end();
	driver_lock();
	forget_sole(&w);
	pool_count_at(index, NULL);
	driver_unlock();
}
