/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The threads that execute operations of streams: workers, which copy, fill and run
 * the CTAs of every kernel that has started, and one thread for host functions. Each
 * is created when there is work for it; without work they sleep.
 *
 * The caller holds the driver's lock unless said otherwise.
 */
#ifndef CPU_POOL_H
#define CPU_POOL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "exec.h"

struct domain;
struct task;
struct tickets;

/* A kernel launch on its way through the workers. */
struct grid {
	struct launch launch;
	struct fault fault;
	void *code;                /* what owns the kernel: released with the grid, */
	void (*release)(void *code); /* by this */
	struct task *task;             /* whose grid this is */
	bool first;                /* launch of its kernel */
	uint64_t total;            /* CTAs; a cluster, where a launch has them, counts as one */
	struct tickets *tickets;   /* owned: the CTAs to assign */
	_Atomic uint64_t finished; /* CTAs */
	struct grid *ring;         /* the next grid that has CTAs to assign; NULL: it has none */
	struct grid *running, **running_link;
	uint8_t *params;           /* owned; launch.params */
};

/* NULL: nothing. */
void grid_free(struct grid *grid);

/* Runs an operation that may start; task_done() follows from another thread. */
void pool_add(struct task *task);

/* Stops the running kernels of @domain: their CTAs end at their next time slice. */
void pool_stop(const struct domain *domain);

/*
 * Waits until every worker has ended what it is executing now: the slice of a CTA, or a copy or a
 * fill. None of them uses then what was found (arena_find()) before the call. The lock is released
 * meanwhile.
 */
void pool_quiesce(void);

/* Makes all threads end, without waiting for them. */
void pool_end(void);

/* Waits a moment for the threads to end. Without the lock. */
void pool_join(void);

/* Tells whether the calling thread runs a host function. Needs no lock. */
bool pool_in_host_function(void);

/* ---- For the workers (worker.c) ------------------------------------------ */

/* Changes whenever a grid gets, or runs out of, CTAs to assign. Needs no lock. */
extern _Atomic uint64_t pool_version;

/* Whether there are copies and fills to do. A hint; needs no lock. */
extern atomic_bool pool_has_tasks;

/* Removes and returns a copy or a fill, or NULL. */
struct task *pool_pop_task(void);

/*
 * Assigns to @worker a CTA of the next grid in the ring; NULL when none is left.
 * *@sole: no other grid has any, as long as pool_version does not change.
 */
struct grid *pool_pop_cta(unsigned worker, uint64_t *index, bool *sole);

/* Counts @count CTAs of @grid as finished; the last one completes it. Without the lock. */
void pool_finish(struct grid *grid, uint64_t count);

/* Sets where the calling worker @index counts, NULL at its end: odd while it executes something. */
void pool_count_at(unsigned index, _Atomic uint64_t *units);

/* Sleeps unless there is work; false when the thread is to end. */
bool pool_sleep(void);

/* Tells whether the threads are to end. Needs no lock. */
bool pool_ending(void);

#endif
