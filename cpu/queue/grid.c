/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "grid.h"

#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "asserts.h"
#include "domain.h"
#include "driver.h"
#include "lock.h"
#include "order.h"
#include "outcome.h"
#include "pool.h"
#include "report_format.h"
#include "task.h"
#include "tickets.h"

static struct {
	struct grid *ring;    /* the last one of the grids with CTAs to assign */
	struct grid *running; /* every grid that is not completed */
} grids;

_Atomic uint64_t grid_version;

void grid_free(struct grid *grid)
{
	if (!grid)
		return;
	ASSERT(!grid->ring && !grid->running_link); /* it never began, or is completed */
	if (grid->release)
		grid->release(grid->code);
	if (grid->launch.workspace)
		arena_free(grid->launch.workspace, NULL);
	tickets_free(grid->tickets);
	free(grid->params);
	free(grid->fault.record);
	free(grid);
}

bool grid_waiting(void)
{
	return grids.ring;
}

static void ring_add(struct grid *grid)
{
	struct grid *last = grids.ring ? grids.ring : grid;

	ASSERT(!grid->ring && grid->tickets && grid->total);
	grid->ring = grids.ring ? last->ring : grid;
	grid->ring_before = last;
	last->ring = grid;
	grid->ring->ring_before = grid;
	grids.ring = grid;
	atomic_fetch_add(&grid_version, 1);
}

/* Writes what @grid counted, if it did, to the trace that its launch is in. */
static void write_counted(const struct grid *grid)
{
	struct counted counted;

	if (!grid->launch.counted || !grid->task->traced)
		return;
	for (unsigned i = 0; i < COUNTED_KINDS; i++)
		counted.at[i] = atomic_load(&grid->counted[i]);
	trace_counted(grid->task->traced, &counted);
}

/* Removes @grid from the ring, if it is there. */
static void ring_remove(struct grid *grid)
{
	if (!grid->ring)
		return;
	ASSERT(grids.ring && grid->ring_before->ring == grid);
	if (grids.ring == grid)
		grids.ring = grid->ring == grid ? NULL : grid->ring_before;
	grid->ring_before->ring = grid->ring;
	grid->ring->ring_before = grid->ring_before;
	grid->ring = grid->ring_before = NULL;
	atomic_fetch_add(&grid_version, 1);
}

void grid_start(struct grid *grid)
{
	ASSERT(lock_is_held(LOCK_DRIVER) && !grid->running_link && !grid->finished);
	if (grid->launch.order) {
		grid->launch.floor = grid->launch.order->floor;
		grid->launch.mixed = grid->launch.order->mixed;
	}
	grid->running = grids.running;
	grid->running_link = &grids.running;
	if (grids.running)
		grids.running->running_link = &grid->running;
	grids.running = grid;
	ring_add(grid);
}

bool grid_oldest(struct gpurun_report *report)
{
	const struct grid *oldest = grids.running;
	const struct launch *launch;

	ASSERT(lock_is_held(LOCK_DRIVER));
	if (!oldest)
		return false;
	while (oldest->running)
		oldest = oldest->running;
	launch = &oldest->launch;
	report->kernel = launch->kernel->name;
	memcpy(report->grid, launch->grid, sizeof(report->grid));
	memcpy(report->block_size, launch->block, sizeof(report->block_size));
	report->count = atomic_load(&oldest->finished);
	for (int i = 0; i < 3; i++)
		report->count *= launch->cluster[i];
	return true;
}

/* It ran to its end. */
static void ran(const struct grid *grid)
{
	write_counted(grid);
	outcome_ran(grid->first);
}

static void grid_complete(struct grid *grid)
{
	int code = atomic_load(&grid->fault.code);

	ASSERT(lock_is_held(LOCK_DRIVER) && grid->finished == grid->total);
	ASSERT(*grid->running_link == grid);
	ring_remove(grid);
	*grid->running_link = grid->running;
	if (grid->running)
		grid->running->running_link = grid->running_link;
	grid->running_link = NULL;
	if (code)
		domain_report(grid->task->domain, grid->fault.record);
	else if (!atomic_load(&grid->launch.stop))
		ran(grid);
	task_done(grid->task);
}

struct grid *grid_pop_cta(unsigned worker, uint64_t *index, bool *sole)
{
	ASSERT(lock_is_held(LOCK_DRIVER));
	while (grids.ring) {
		struct grid *grid = grids.ring->ring;

		if (!tickets_pop(grid->tickets, worker, index)) {
			ring_remove(grid);
			continue;
		}
		ASSERT(*index < grid->total);
		task_begins(grid->task);
		*sole = grid == grids.ring;
		grids.ring = grid;
		if (*index + 1 < grid->total || !*sole)
			pool_wake();
		return grid;
	}
	return NULL;
}

void grid_finish(struct grid *grid, uint64_t count)
{
	const uint64_t total = grid->total;

	ASSERT(count && atomic_load(&grid->finished) + count <= total);
	/* The worker that finishes the last CTA completes the grid, which may be freed then. */
	if (atomic_fetch_add(&grid->finished, count) + count < total)
		return;
	driver_lock();
	if (!pool_ending())
		grid_complete(grid);
	driver_unlock();
}

/* Stops the running kernels of @domain: their CTAs end at their next time slice. */
static void stop(const struct domain *domain)
{
	struct grid *grid, *next;

	for (grid = grids.running; grid; grid = next) {
		uint64_t left;

		next = grid->running;
		if (grid->task->domain != domain)
			continue;
		left = tickets_cancel(grid->tickets);
		ASSERT(left <= grid->total - atomic_load(&grid->finished));
		ring_remove(grid);
		atomic_store(&grid->launch.stop, true);
		if (left && atomic_fetch_add(&grid->finished, left) + left == grid->total)
			grid_complete(grid);
	}
}

void grid_fail(struct domain *domain, CUresult code)
{
	ASSERT(lock_is_held(LOCK_DRIVER));
	if (domain_fail(domain, code))
		stop(domain);
}

void grid_stop_all(void)
{
	ASSERT(lock_is_held(LOCK_DRIVER));
	for (struct grid *grid = grids.running; grid; grid = grid->running)
		atomic_store(&grid->launch.stop, true);
}
