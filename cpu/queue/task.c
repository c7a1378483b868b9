/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "task.h"

#include <stdlib.h>

#include "asserts.h"
#include "cleanup.h"
#include "domain.h"
#include "driver.h"
#include "grid.h"
#include "lock.h"
#include "order.h"
#include "output.h"
#include "pool.h"
#include "value_wait.h"

/* Operations that have begun and are not done; those that wait for words do not count. */
static unsigned begun_everywhere;

/* Operations that wait for nothing any more and have not started. */
static struct task *startable, **startable_end = &startable;

struct task *task_new(enum task_kind kind)
{
	struct task *task = calloc(1, sizeof(*task));

	if (!task)
		return NULL;
	task->order = order_new();
	if (!task->order && order_wanted()) {
		free(task);
		return NULL;
	}
	task->kind = kind;
	task->traced = traced.id;
	task->refs = 1;
	task->blocked = 1;
	return task;
}

struct task *task_get(struct task *task)
{
	ASSERT(lock_is_held(LOCK_DRIVER) && task->refs);
	task->refs++;
	return task;
}

static void release_work(struct task *task)
{
	if (task->kind == TASK_COPY)
		free(task->copy.staged);
	if (task->kind == TASK_KERNEL)
		grid_free(task->grid);
}

void task_put(struct task *task)
{
	ASSERT(!task || (lock_is_held(LOCK_DRIVER) && task->refs));
	if (!task || --task->refs)
		return;
	/* Nothing waits for it, and it waits for nothing, but for its submission. */
	ASSERT(!task->edges && (task->done || task->blocked == 1));
	release_work(task);
	free(task->order);
	free(task);
}

static struct task_edge *edge_new(struct task *task)
{
	if (task->inline_used < INLINE_EDGES)
		return &task->inline_edges[task->inline_used++];
	return malloc(sizeof(struct task_edge));
}

static void edge_free(struct task_edge *edge)
{
	const struct task *task = edge->task;

	_Static_assert(INLINE_EDGES == 2, "each is compared here");
	if (edge != &task->inline_edges[0] && edge != &task->inline_edges[1])
		free(edge);
}

CUresult task_after(struct task *task, struct task *other)
{
	struct task_edge *edge;

	ASSERT(lock_is_held(LOCK_DRIVER) && task->blocked && !task->domain);
	ASSERT(task != other);
	if (other && other->done)
		order_join(task->order, other->order);
	if (!other || other->done)
		return CUDA_SUCCESS;
	edge = edge_new(task);
	if (!edge)
		return CUDA_ERROR_OUT_OF_MEMORY;
	*edge = (struct task_edge){ task, other->edges };
	other->edges = edge;
	task->blocked++;
	return CUDA_SUCCESS;
}

static void unblock(struct task *task)
{
	ASSERT(task->blocked && !task->done);
	if (--task->blocked)
		return;
	task->next = NULL;
	*startable_end = task;
	startable_end = &task->next;
}

/* Counts @task as being executed. */
static void count_begun(struct task *task)
{
	ASSERT(!task->counted && task->domain->begun < task->domain->pending);
	task->counted = true;
	task->domain->begun++;
	begun_everywhere++;
}

/* Marks @task done; drops the reference that an unfinished operation has to itself. */
static void complete(struct task *task)
{
	struct task_edge *edge, *next;

	ASSERT(!task->done && !task->blocked && begun_everywhere >= task->domain->begun);
	task->domain->begun -= task->counted;
	begun_everywhere -= task->counted;
	domain_task_done(task->domain);
	task->done = true;
	task->time = clock_now();
	if (task->began)
		trace_ran(task->traced, task->began, task->time);
	order_end(task->order);
	for (edge = task->edges; edge; edge = next) {
		struct task *waiter = edge->task;

		next = edge->next;
		order_join(waiter->order, task->order);
		edge_free(edge);
		unblock(waiter);
	}
	task->edges = NULL;
	task_put(task);
}

CUresult task_lost(const struct task *task)
{
	ASSERT(lock_is_held(LOCK_DRIVER) && task->domain && !task->done);
	return task->domain->life == task->life ? task->domain->fault :
						  CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

static bool touches_memory(const struct task *task)
{
	return task->kind == TASK_COPY || task->kind == TASK_FILL || task->kind == TASK_WRITE ||
	       task->kind == TASK_KERNEL;
}

/* Records the begin of an operation in the order of check=race. */
static void begin_order(struct task *task)
{
	static const char *const names[] = {
		[TASK_COPY] = "a copy",
		[TASK_FILL] = "a fill",
		[TASK_WRITE] = "a write of a word",
		[TASK_KERNEL] = "",
	};

	if (task->kind == TASK_HOST || task->kind == TASK_WRITE)
		order_awaited(task->order);
	if (touches_memory(task))
		order_begin(task->order, task->kind == TASK_KERNEL ? &task->grid->launch : NULL,
			    names[task->kind], task->awaited);
}

/* @task has no thread that could execute it. */
static void fail_thread(struct task *task)
{
	grid_fail(task->domain, CUDA_ERROR_OPERATING_SYSTEM);
	domain_report_text(task->domain, "the CPU device cannot start a thread");
	task_done(task);
}

static void start(struct task *task)
{
	bool called = task->kind == TASK_HOST && task->host.callback, started = true;

	task->dropped = task_lost(task) && !called;
	if (task->dropped || task->kind == TASK_MARK) {
		complete(task);
	} else if (task->kind == TASK_WAIT) {
		started = value_wait(task);
	} else {
		count_begun(task);
		begin_order(task);
		task->ready = task->by_caller;
		if (!task->by_caller)
			started = pool_add(task);
	}
	if (!started)
		fail_thread(task);
}

static void start_all(void)
{
	bool any = startable != NULL;

	while (startable) {
		struct task *task = startable;

		startable = task->next;
		if (!startable)
			startable_end = &startable;
		start(task);
	}
	if (any)
		driver_changed();
}

void task_done(struct task *task)
{
	ASSERT(lock_is_held(LOCK_DRIVER));
	complete(task);
	driver_changed();
	start_all();
}

/* Submits @task, which starts if it waits for nothing. */
static void submit(struct task *task)
{
	ASSERT(task->blocked && !task->done);
	task_get(task);
	task->life = task->domain->life;
	task->domain->pending++;
	unblock(task);
	start_all();
}

void task_defuse(struct task *task)
{
	ASSERT(lock_is_held(LOCK_DRIVER) && task->blocked && !task->domain);
	release_work(task);
	task->kind = TASK_MARK;
	task->by_caller = false;
}

void task_submit(struct task *task, struct domain *domain, unsigned line, unsigned number)
{
	ASSERT(!task->domain && line < ORDER_LINES);
	task->domain = domain;
	order_submit(task->order, line, number, touches_memory(task));
	submit(task);
}

void task_submit_alone(struct task *task, struct domain *domain)
{
	ASSERT(!task->domain);
	task->domain = domain;
	order_submit(task->order, ORDER_LINES, 0, false);
	submit(task);
}

static CUresult flush(void)
{
	if (output_pending()) {
		driver_unlock();
		output_flush();
		driver_lock();
	}
	return CUDA_SUCCESS;
}

CUresult task_await(const struct task *task)
{
	ASSERT(lock_is_held(LOCK_DRIVER) && (task->done || task->domain));
	while (!task->done)
		TRY(wait_change());
	return flush();
}

CUresult task_wait(const struct task *task)
{
	TRY(task_await(task));
	order_awaited(task->order);
	return CUDA_SUCCESS;
}

CUresult task_wait_quiet(const struct task *task, const struct domain *domain)
{
	const unsigned *executing = domain ? &domain->begun : &begun_everywhere;

	ASSERT(lock_is_held(LOCK_DRIVER) && (task->done || task->domain));
	while (!task->done && (*executing || value_poll()))
		if (*executing)
			TRY(wait_change());
	if (task->done)
		order_awaited(task->order);
	return flush();
}

CUresult task_run(struct task *task)
{
	ASSERT(lock_is_held(LOCK_DRIVER) && task->by_caller && task->domain);
	while (!task->ready && !task->done)
		TRY(wait_change());
	if (!task->done) {
		driver_unlock();
		task_begins(task);
		task_execute(task);
		driver_lock();
		task_done(task);
	}
	return task->awaited ? task_wait(task) : task_await(task);
}
