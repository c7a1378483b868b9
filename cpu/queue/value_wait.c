/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Streams that wait for words. A wait is an operation that no
 * worker runs: a separate thread polls the words of all waits, less and less often
 * while none is satisfied, and exists while there are any.
 */
#include "value_wait.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "arena.h"
#include "asserts.h"
#include "driver.h"
#include "lock.h"
#include "nap.h"
#include "order.h"
#include "task.h"
#include "thread.h"

static struct task *waits; /* linked by next */
static bool polling;     /* the thread exists */

static uint64_t load(const struct task_value *v)
{
	ASSERT((v->width == 4 || v->width == 8) && v->address % v->width == 0);
	if (v->width == 4)
		return atomic_load((_Atomic uint32_t *)arena_bytes(v->address));
	return atomic_load((_Atomic uint64_t *)arena_bytes(v->address));
}

/* The distance of two words of @width bytes, as a signed number. */
static int64_t distance(uint64_t a, uint64_t b, unsigned width)
{
	return width == 4 ? (int32_t)(uint32_t)(a - b) : (int64_t)(a - b);
}

static bool is_satisfied(const struct task_value *v)
{
	const uint64_t mask = v->width == 4 ? UINT32_MAX : UINT64_MAX, now = load(v);

	switch (v->flags & ~(unsigned)CU_STREAM_WAIT_VALUE_FLUSH) {
	case CU_STREAM_WAIT_VALUE_GEQ:
		return distance(now, v->value, v->width) >= 0;
	case CU_STREAM_WAIT_VALUE_EQ:
		return now == v->value;
	case CU_STREAM_WAIT_VALUE_AND:
		return now & v->value;
	default:
		return ~(now | v->value) & mask;
	}
}

bool value_poll(void)
{
	struct task **link = &waits, *ended = NULL;
	bool any = false;

	ASSERT(lock_is_held(LOCK_DRIVER));
	while (*link) {
		struct task *task = *link;

		if (!is_satisfied(&task->value) && !task_lost(task)) {
			link = &task->next;
			continue;
		}
		*link = task->next;
		task->next = ended;
		ended = task;
	}
	while (ended) {
		struct task *task = ended;

		ended = task->next;
		order_learn(task->order);
		task_done(task);
		any = true;
	}
	return any;
}

static void *poll_words(void *ignored)
{
	struct timespec nap = NAP_FIRST;

	driver_lock();
	while (waits && !driver_ended()) {
		if (value_poll())
			nap = NAP_FIRST;
		driver_unlock();
		nap_sleep(&nap);
		driver_lock();
	}
	polling = false;
	driver_unlock();
	return ignored;
}

static bool start_polling(void)
{
	pthread_t thread;

	if (polling)
		return true;
	polling = thread_start(&thread, poll_words, NULL);
	if (polling)
		pthread_detach(thread);
	return polling;
}

bool value_wait(struct task *task)
{
	ASSERT(lock_is_held(LOCK_DRIVER) && task->kind == TASK_WAIT && !task->blocked);
	task->next = waits;
	waits = task;
	if (start_polling())
		return true;
	waits = task->next;
	return false;
}
