/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "pool.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "arena.h"
#include "config.h"
#include "context.h"
#include "entry.h"
#include "module.h"
#include "op.h"
#include "order.h"
#include "thread.h"
#include "tickets.h"
#include "worker.h"

#define END_WAIT_S 2

/* A first-in first-out list of operations. */
struct op_list {
	struct op *first, **last;
};

struct thread {
	pthread_t id;
	unsigned index;
	bool ended;
};

static struct {
	struct op_list tasks, host;
	struct grid *ring;       /* the last in turn of the grids with CTAs to hand out */
	struct grid *running;    /* every grid that is not completed */
	struct thread *workers;  /* owned; room for config.threads */
	unsigned worker_count;
	unsigned idle, wakes;    /* workers asleep that nobody woke; workers woken */
	struct thread host_thread;
	bool host_started;
	unsigned alive;          /* threads that have not ended */
	pthread_cond_t work, host_work, ended;
} pool = {
	.work = PTHREAD_COND_INITIALIZER,
	.host_work = PTHREAD_COND_INITIALIZER,
	.ended = PTHREAD_COND_INITIALIZER,
};

_Atomic uint64_t pool_version;
atomic_bool pool_has_tasks;
static atomic_bool ending;
static __thread bool in_host_function;

bool pool_ending(void)
{
	return atomic_load_explicit(&ending, memory_order_relaxed);
}

bool pool_in_host_function(void)
{
	return in_host_function;
}

static void list_put(struct op_list *list, struct op *op)
{
	op->next = NULL;
	if (!list->first)
		list->last = &list->first;
	*list->last = op;
	list->last = &op->next;
}

static struct op *list_take(struct op_list *list)
{
	struct op *op = list->first;

	if (op)
		list->first = op->next;
	return op;
}

/* ---- Threads ------------------------------------------------------------- */

static void thread_end(struct thread *thread)
{
	pthread_mutex_lock(&driver_lock);
	thread->ended = true;
	pool.alive--;
	pthread_cond_broadcast(&pool.ended);
	pthread_mutex_unlock(&driver_lock);
}

static void *worker_main(void *argument)
{
	struct thread *thread = argument;

	worker_run(thread->index);
	thread_end(thread);
	return NULL;
}

static void run_host_function(struct op *op)
{
	CUresult result = op_lost(op);

	pthread_mutex_unlock(&driver_lock);
	in_host_function = true;
	if (op->host.callback)
		op->host.callback(op->host.stream, result, op->host.data);
	else
		op->host.fn(op->host.data);
	in_host_function = false;
	pthread_mutex_lock(&driver_lock);
	if (!pool_ending())
		op_done(op);
}

static void *host_main(void *argument)
{
	struct op *op;

	pthread_mutex_lock(&driver_lock);
	while (!pool_ending()) {
		op = list_take(&pool.host);
		if (op)
			run_host_function(op);
		else
			pthread_cond_wait(&pool.host_work, &driver_lock);
	}
	pthread_mutex_unlock(&driver_lock);
	thread_end(argument);
	return NULL;
}

static bool start(struct thread *thread, void *(*main)(void *))
{
	const bool started = thread_start(&thread->id, main, thread);

	pool.alive += started;
	return started;
}

static bool worker_start(void)
{
	struct thread *thread;

	if (!pool.workers)
		pool.workers = calloc(config.threads, sizeof(*pool.workers));
	if (!pool.workers || pool.worker_count == config.threads)
		return false;
	thread = &pool.workers[pool.worker_count];
	thread->index = pool.worker_count;
	if (!start(thread, worker_main))
		return false;
	pool.worker_count++;
	return true;
}

static bool host_start(void)
{
	if (!pool.host_started)
		pool.host_started = start(&pool.host_thread, host_main);
	return pool.host_started;
}

/* Gets one more worker to look for work, if there is one that does not. */
static void wake(void)
{
	if (pool.idle) {
		pool.idle--;
		pool.wakes++;
		pthread_cond_signal(&pool.work);
	} else {
		worker_start();
	}
}

bool pool_sleep(void)
{
	if (pool.tasks.first || pool.ring)
		return !pool_ending();
	pool.idle++;
	while (!pool.wakes && !pool_ending())
		pthread_cond_wait(&pool.work, &driver_lock);
	if (pool.wakes)
		pool.wakes--;
	return !pool_ending();
}

/* ---- Grids ----------------------------------------------------------------- */

void grid_free(struct grid *grid)
{
	if (!grid)
		return;
	module_put(grid->module);
	if (grid->launch.workspace)
		arena_free(grid->launch.workspace, NULL);
	tickets_free(grid->tickets);
	free(grid->params);
	free(grid);
}

static void ring_add(struct grid *grid)
{
	if (pool.ring) {
		grid->ring = pool.ring->ring;
		pool.ring->ring = grid;
	} else {
		grid->ring = grid;
	}
	pool.ring = grid;
	atomic_fetch_add(&pool_version, 1);
}

/* Takes @grid out of the ring, if it is there. */
static void ring_drop(struct grid *grid)
{
	struct grid *before = pool.ring;

	if (!grid->ring)
		return;
	while (before->ring != grid)
		before = before->ring;
	if (before == grid)
		pool.ring = NULL;
	else if (pool.ring == grid)
		pool.ring = before;
	before->ring = grid->ring;
	grid->ring = NULL;
	atomic_fetch_add(&pool_version, 1);
}

static void grid_start(struct grid *grid)
{
	if (grid->launch.order) {
		grid->launch.floor = grid->launch.order->floor;
		grid->launch.mixed = grid->launch.order->mixed;
	}
	grid->running = pool.running;
	grid->running_link = &pool.running;
	if (pool.running)
		pool.running->running_link = &grid->running;
	pool.running = grid;
	ring_add(grid);
}

static void grid_complete(struct grid *grid)
{
	int code = atomic_load(&grid->fault.code);

	ring_drop(grid);
	*grid->running_link = grid->running;
	if (grid->running)
		grid->running->running_link = grid->running_link;
	if (code)
		context_report(grid->op->context, grid->fault.text);
	op_done(grid->op);
}

struct grid *pool_take_cta(unsigned worker, uint64_t *index, bool *sole)
{
	while (pool.ring) {
		struct grid *grid = pool.ring->ring;

		if (!tickets_take(grid->tickets, worker, index)) {
			ring_drop(grid);
			continue;
		}
		*sole = grid == pool.ring;
		pool.ring = grid;
		if (*index + 1 < grid->total || !*sole)
			wake();
		return grid;
	}
	return NULL;
}

void pool_finish(struct grid *grid, uint64_t count)
{
	const uint64_t total = grid->total;

	/* Whoever finishes the last CTA completes the grid, which may then be gone. */
	if (atomic_fetch_add(&grid->finished, count) + count < total)
		return;
	pthread_mutex_lock(&driver_lock);
	if (!pool_ending())
		grid_complete(grid);
	pthread_mutex_unlock(&driver_lock);
}

void pool_stop(const struct context *context)
{
	struct grid *grid, *next;

	for (grid = pool.running; grid; grid = next) {
		uint64_t left;

		next = grid->running;
		if (grid->op->context != context)
			continue;
		left = tickets_take_rest(grid->tickets);
		ring_drop(grid);
		atomic_store(&grid->launch.stop, true);
		if (left && atomic_fetch_add(&grid->finished, left) + left == grid->total)
			grid_complete(grid);
	}
}

/* ---- Operations ---------------------------------------------------------------- */

struct op *pool_take_task(void)
{
	struct op *op = list_take(&pool.tasks);

	if (!pool.tasks.first)
		atomic_store(&pool_has_tasks, false);
	return op;
}

void pool_add(struct op *op)
{
	bool started = op->kind == OP_HOST ? host_start() : pool.worker_count || worker_start();

	if (!started) {
		context_fail(op->context, CUDA_ERROR_OPERATING_SYSTEM);
		context_report(op->context, "the CPU device cannot start a thread");
		op_done(op);
	} else if (op->kind == OP_HOST) {
		list_put(&pool.host, op);
		pthread_cond_signal(&pool.host_work);
	} else if (op->kind == OP_KERNEL) {
		grid_start(op->grid);
		wake(); /* and each that takes a CTA wakes one more; the second need not wait */
		if (op->grid->total > 1)
			wake();
	} else {
		list_put(&pool.tasks, op);
		atomic_store(&pool_has_tasks, true);
		wake();
	}
}

/* ---- The end ----------------------------------------------------------------------- */

void pool_end(void)
{
	atomic_store(&ending, true);
	for (struct grid *grid = pool.running; grid; grid = grid->running)
		atomic_store(&grid->launch.stop, true);
	pthread_cond_broadcast(&pool.work);
	pthread_cond_broadcast(&pool.host_work);
}

static void join(struct thread *thread)
{
	if (thread->ended)
		pthread_join(thread->id, NULL);
}

void pool_join(void)
{
	/* exit() called by a host function: that thread cannot end. */
	const unsigned self = in_host_function;
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += END_WAIT_S;
	pthread_mutex_lock(&driver_lock);
	while (pool.alive > self)
		if (pthread_cond_clockwait(&pool.ended, &driver_lock, CLOCK_MONOTONIC, &until))
			break;
	pthread_mutex_unlock(&driver_lock);
	for (unsigned i = 0; i < pool.worker_count; i++)
		join(&pool.workers[i]);
	join(&pool.host_thread);
}
