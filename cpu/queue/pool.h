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

struct task;

/* Runs an operation that may start; task_done() follows from another thread. False when there is
 * no thread for it, and none can be started. */
bool pool_add(struct task *task);

/* Wakes or starts one more worker, if there is one that does not run. */
void pool_wake(void);

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

/* Whether there are copies and fills to do. A hint; needs no lock. */
extern atomic_bool pool_has_tasks;

/* Removes and returns a copy or a fill, or NULL. */
struct task *pool_pop_task(void);

/* Sets where the calling worker @index counts, NULL at its end: odd while it executes something. */
void pool_count_at(unsigned index, _Atomic uint64_t *units);

/* Sleeps unless there is work; false when the thread is to end. */
bool pool_sleep(void);

/* Tells whether the threads are to end. Needs no lock. */
bool pool_ending(void);

#endif
