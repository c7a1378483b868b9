/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Streams that write words and wait for words. A wait is an operation that no
 * worker runs: a thread of its own looks at the words of all waits, less and
 * less often while nothing comes of it, and exists while there are any.
 */
#include "stream_value.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "cleanup.h"
#include "context.h"
#include "copy.h"
#include "entry.h"
#include "exports.h"
#include "task.h"
#include "order.h"
#include "stream.h"
#include "thread.h"

enum { FIRST_PAUSE = 20000, LONGEST_PAUSE = 1000000 }; /* ns */

static struct task *waits; /* linked by next */
static bool looking;     /* the thread exists */

static uint64_t load(const struct task_value *v)
{
	if (v->width == 4)
		return atomic_load((_Atomic uint32_t *)(uintptr_t)v->address);
	return atomic_load((_Atomic uint64_t *)(uintptr_t)v->address);
}

void value_write(const struct task_value *v)
{
	if (v->width == 4)
		atomic_store((_Atomic uint32_t *)(uintptr_t)v->address, (uint32_t)v->value);
	else
		atomic_store((_Atomic uint64_t *)(uintptr_t)v->address, v->value);
}

/* The distance of two words of @width bytes, as a signed number. */
static int64_t distance(uint64_t a, uint64_t b, unsigned width)
{
	return width == 4 ? (int32_t)(uint32_t)(a - b) : (int64_t)(a - b);
}

static bool has_come(const struct task_value *v)
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

bool value_look(void)
{
	struct task **link = &waits, *ended = NULL;
	bool any = false;

	while (*link) {
		struct task *task = *link;

		if (!has_come(&task->value) && !task_lost(task)) {
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

static long longer(long pause)
{
	return pause < LONGEST_PAUSE / 2 ? 2 * pause : LONGEST_PAUSE;
}

static void *look_on(void *ignored)
{
	struct timespec pause = { 0, FIRST_PAUSE };

	driver_lock();
	while (waits && !driver_ended()) {
		if (value_look())
			pause.tv_nsec = FIRST_PAUSE;
		driver_unlock();
		nanosleep(&pause, NULL);
		driver_lock();
		pause.tv_nsec = longer(pause.tv_nsec);
	}
	looking = false;
	driver_unlock();
	return ignored;
}

static bool start_looking(void)
{
	pthread_t thread;

	if (looking)
		return true;
	looking = thread_start(&thread, look_on, NULL);
	if (looking)
		pthread_detach(thread);
	return looking;
}

void value_wait(struct task *task)
{
	task->next = waits;
	waits = task;
	if (start_looking())
		return;
	waits = task->next;
	context_fail(task->context, CUDA_ERROR_OPERATING_SYSTEM);
	context_report(task->context, "the CPU device cannot start a thread");
	task_done(task);
}

/* ---- The calls ----------------------------------------------------------------- */

/* The caller holds the lock. */
static CUresult submit(enum task_kind kind, struct task_value value, CUstream handle)
{
	CLEANUP(put_task) struct task *task = NULL;
	struct stream *stream;

	TRY(stream_find(handle, &stream));
	if (!value.address || value.address % value.width ||
	    place_of(value.address, value.width) != PLACE_DEVICE)
		return CUDA_ERROR_INVALID_VALUE;
	task = task_new(kind);
	if (!task)
		return CUDA_ERROR_OUT_OF_MEMORY;
	task->value = value;
	return task_submit(task, stream);
}

static bool wait_flags_are_valid(unsigned flags)
{
	return (flags & ~(unsigned)CU_STREAM_WAIT_VALUE_FLUSH) <= CU_STREAM_WAIT_VALUE_NOR;
}

static CUresult wait_value(CUstream stream, struct task_value value)
{
	if (!wait_flags_are_valid(value.flags))
		return CUDA_ERROR_INVALID_VALUE;
	return submit(TASK_WAIT, value, stream);
}

static CUresult write_value(CUstream stream, struct task_value value)
{
	if (value.flags > CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER)
		return CUDA_ERROR_INVALID_VALUE;
	return submit(TASK_WRITE, value, stream);
}

CUresult cuStreamWaitValue32(CUstream stream, CUdeviceptr address, uint32_t value, unsigned flags)
{
	CLEANUP(leave) struct api_call call = enter(NEED_ACTIVE);

	TRY(call.result);
	return wait_value(stream, (struct task_value){ address, value, 4, flags });
}

CUresult cuStreamWaitValue64(CUstream stream, CUdeviceptr address, uint64_t value, unsigned flags)
{
	CLEANUP(leave) struct api_call call = enter(NEED_ACTIVE);

	TRY(call.result);
	return wait_value(stream, (struct task_value){ address, value, 8, flags });
}

CUresult cuStreamWriteValue32(CUstream stream, CUdeviceptr address, uint32_t value,
			      unsigned flags)
{
	CLEANUP(leave) struct api_call call = enter(NEED_ACTIVE);

	TRY(call.result);
	return write_value(stream, (struct task_value){ address, value, 4, flags });
}

CUresult cuStreamWriteValue64(CUstream stream, CUdeviceptr address, uint64_t value,
			      unsigned flags)
{
	CLEANUP(leave) struct api_call call = enter(NEED_ACTIVE);

	TRY(call.result);
	return write_value(stream, (struct task_value){ address, value, 8, flags });
}

static CUresult one_of_batch(CUstream stream, const CUstreamBatchMemOpParams *task)
{
	const uint32_t low = task->waitValue.value;
	const uint64_t whole = task->waitValue.value64;
	const CUdeviceptr address = task->waitValue.address;
	const unsigned flags = task->waitValue.flags;

	switch (task->operation) {
	case CU_STREAM_MEM_OP_WAIT_VALUE_32:
		return wait_value(stream, (struct task_value){ address, low, 4, flags });
	case CU_STREAM_MEM_OP_WAIT_VALUE_64:
		return wait_value(stream, (struct task_value){ address, whole, 8, flags });
	case CU_STREAM_MEM_OP_WRITE_VALUE_32:
		return write_value(stream, (struct task_value){ address, low, 4, flags });
	case CU_STREAM_MEM_OP_WRITE_VALUE_64:
		return write_value(stream, (struct task_value){ address, whole, 8, flags });
	case CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES:
	case CU_STREAM_MEM_OP_BARRIER:
		return CUDA_SUCCESS;
	}
	return CUDA_ERROR_INVALID_VALUE;
}

CUresult cuStreamBatchMemOp(CUstream stream, unsigned count, CUstreamBatchMemOpParams *ops,
			    unsigned flags)
{
	CLEANUP(leave) struct api_call call = enter(NEED_ACTIVE);

	TRY(call.result);
	if (flags || !count || count > 256 || !ops)
		return CUDA_ERROR_INVALID_VALUE;
	for (unsigned i = 0; i < count; i++)
		TRY(one_of_batch(stream, &ops[i]));
	return CUDA_SUCCESS;
}
