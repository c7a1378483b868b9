/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "pool.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "asserts.h"
#include "config.h"
#include "driver.h"
#include "grid.h"
#include "lock.h"
#include "nap.h"
#include "task.h"
#include "thread.h"
#include "worker.h"

#define END_WAIT_S 2

/* A first-in first-out list of operations. */
struct task_list {
	struct task *first, **last;
};

struct thread {
	pthread_t id;
	unsigned index;
	bool ended;
	_Atomic uint64_t *units; /* of a worker: see pool_count_at() */
};

static struct {
	struct task_list ready, host;
	struct thread *workers;  /* owned; room for config.threads */
	unsigned worker_count;
	unsigned idle, wakes;    /* workers asleep that were not woken; workers woken */
	struct thread host_thread;
	bool host_started;
	unsigned alive;          /* threads that have not ended */
	pthread_cond_t work, host_work, ended;
} pool = {
	.work = PTHREAD_COND_INITIALIZER,
	.host_work = PTHREAD_COND_INITIALIZER,
	.ended = PTHREAD_COND_INITIALIZER,
};

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

static void list_push(struct task_list *list, struct task *task)
{
	task->next = NULL;
	if (!list->first)
		list->last = &list->first;
	*list->last = task;
	list->last = &task->next;
}

static struct task *list_pop(struct task_list *list)
{
	struct task *task = list->first;

	if (task)
		list->first = task->next;
	return task;
}

/* ---- Threads ------------------------------------------------------------- */

static void thread_end(struct thread *thread)
{
	driver_lock();
	ASSERT(!thread->ended && pool.alive);
	thread->ended = true;
	pool.alive--;
	pthread_cond_broadcast(&pool.ended);
	driver_unlock();
}

static void *worker_main(void *argument)
{
	struct thread *thread = argument;

	worker_run(thread->index);
	thread_end(thread);
	return NULL;
}

static void run_host_function(struct task *task)
{
	CUresult result = task_lost(task);

	ASSERT(task->kind == TASK_HOST && !in_host_function);
	ASSERT(!task->host.fn != !task->host.callback);
	driver_unlock();
	task_begins(task);
	in_host_function = true;
	if (task->host.callback)
		task->host.callback(task->host.stream, result, task->host.data);
	else
		task->host.fn(task->host.data);
	in_host_function = false;
	driver_lock();
	if (!pool_ending())
		task_done(task);
}

static void *host_main(void *argument)
{
	struct task *task;

	driver_lock();
	while (!pool_ending()) {
		task = list_pop(&pool.host);
		if (task)
			run_host_function(task);
		else
			pthread_cond_wait(&pool.host_work, &driver_mutex);
	}
	driver_unlock();
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

void pool_wake(void)
{
	ASSERT(lock_is_held(LOCK_DRIVER) && pool.idle + pool.wakes <= pool.worker_count);
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
	ASSERT(lock_is_held(LOCK_DRIVER) && pool.idle < pool.worker_count);
	if (pool.ready.first || grid_waiting())
		return !pool_ending();
	pool.idle++;
	while (!pool.wakes && !pool_ending())
		pthread_cond_wait(&pool.work, &driver_mutex);
	if (pool.wakes)
		pool.wakes--;
	return !pool_ending();
}

void pool_count_at(unsigned index, _Atomic uint64_t *units)
{
	ASSERT(lock_is_held(LOCK_DRIVER) && index < config.threads);
	ASSERT(!pool.workers[index].units != !units); /* set one time, and cleared one time */
	pool.workers[index].units = units;
}

/* Tells whether a worker still executes what it did when its count was @count. */
static bool executes(const struct thread *worker, uint64_t count)
{
	return worker->units && atomic_load(worker->units) == count && count & 1;
}

void pool_quiesce(void)
{
	struct timespec nap = NAP_FIRST;

	ASSERT(lock_is_held(LOCK_DRIVER) && pool.worker_count <= config.threads);
	/* A worker counts before it looks anything up. */
	atomic_thread_fence(memory_order_seq_cst);
	for (unsigned i = 0; i < pool.worker_count; i++) {
		const struct thread *worker = &pool.workers[i];
		const uint64_t count = worker->units ? atomic_load(worker->units) : 0;

		while (executes(worker, count) && !pool_ending()) {
			driver_unlock();
			nap_sleep(&nap);
			driver_lock();
		}
	}
}

/* ---- Operations ---------------------------------------------------------------- */

struct task *pool_pop_task(void)
{
	struct task *task = list_pop(&pool.ready);

	ASSERT(lock_is_held(LOCK_DRIVER));
	if (!pool.ready.first)
		atomic_store(&pool_has_tasks, false);
	return task;
}

bool pool_add(struct task *task)
{
	ASSERT(lock_is_held(LOCK_DRIVER) && !task->by_caller && !task->blocked && !task->done);
	ASSERT(task->kind != TASK_MARK && task->kind != TASK_WAIT);
	if (!(task->kind == TASK_HOST ? host_start() : pool.worker_count || worker_start()))
		return false;
	if (task->kind == TASK_HOST) {
		list_push(&pool.host, task);
		pthread_cond_signal(&pool.host_work);
	} else if (task->kind == TASK_KERNEL) {
		grid_start(task->grid);
		pool_wake(); /* each that gets a CTA wakes one more; the second need not wait */
		if (task->grid->total > 1)
			pool_wake();
	} else {
		list_push(&pool.ready, task);
		atomic_store(&pool_has_tasks, true);
		pool_wake();
	}
	return true;
}

/* ---- The end ----------------------------------------------------------------------- */

void pool_end(void)
{
	ASSERT(lock_is_held(LOCK_DRIVER));
	atomic_store(&ending, true);
	grid_stop_all();
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

	ASSERT(!lock_is_held(LOCK_DRIVER) && pool_ending());
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += END_WAIT_S;
	driver_lock();
	while (pool.alive > self)
		if (pthread_cond_clockwait(&pool.ended, &driver_mutex, CLOCK_MONOTONIC, &until))
			break;
	driver_unlock();
	for (unsigned i = 0; i < pool.worker_count; i++)
		join(&pool.workers[i]);
	join(&pool.host_thread);
}
