/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "event.h"

#include <stdlib.h>

#include "asserts.h"
#include "cleanup.h"
#include "context.h"
#include "entry.h"
#include "exports.h"
#include "findings.h"
#include "handle.h"
#include "leftover.h"
#include "task.h"
#include "order.h"
#include "stream.h"

struct event {
	void *handle;
	bool timing;
	const struct context *context; /* borrowed: it ends with it */
	struct task *task;       /* referred to; NULL when never recorded */
	struct event *next, **link;
};

static struct event *events; /* owned */

/* NULL: nothing. */
static void event_free(struct event *event)
{
	if (!event)
		return;
	if (event->link) {
		ASSERT(*event->link == event);
		*event->link = event->next;
		if (event->next)
			event->next->link = event->link;
	}
	handle_free(event->handle);
	task_put(event->task);
	free(event);
}
DEFINE_CLEANUP(free_event, struct event *, event_free)

void event_report_leaks(const struct context *context)
{
	unsigned count = 0;

	for (const struct event *event = events; event; event = event->next)
		if (!context || event->context == context)
			count++;
	finding_report_unreleased(count, "event", "cuEventDestroy");
}

void event_clear(const struct context *context)
{
	struct event *next;

	for (struct event *event = events; event; event = next) {
		next = event->next;
		if (event->context == context)
			event_free(event);
	}
}

/* A stream instead of an event: 709, as from a real driver. */
static CUresult event_find(CUevent handle, struct event **out)
{
	*out = handle_object(handle, HANDLE_EVENT);
	if (*out)
		return CUDA_SUCCESS;
	if (handle_kind(handle) == HANDLE_STREAM)
		return CUDA_ERROR_CONTEXT_IS_DESTROYED;
	return CUDA_ERROR_INVALID_HANDLE;
}

static void event_link(struct event *event)
{
	ASSERT(!event->link && (!events || events->link == &events));
	event->next = events;
	event->link = &events;
	if (events)
		events->link = &event->next;
	events = event;
}

/* An event between processes (4) cannot have a time. */
static bool flags_are_valid(unsigned flags)
{
	return flags <= 7 && (!(flags & 4) || (flags & CU_EVENT_DISABLE_TIMING));
}

CUresult cuEventCreate(CUevent *event, unsigned flags)
{
	CLEANUP(leave) struct api_call call = enter(NEED_CONTEXT);
	CLEANUP(free_event) struct event *made = NULL;

	TRY(call.result);
	if (!event || !flags_are_valid(flags))
		return CUDA_ERROR_INVALID_VALUE;
	made = calloc(1, sizeof(*made));
	if (!made)
		return CUDA_ERROR_OUT_OF_MEMORY;
	made->context = context_here();
	made->timing = !(flags & CU_EVENT_DISABLE_TIMING);
	made->handle = handle_new(HANDLE_EVENT, made);
	if (!made->handle)
		return CUDA_ERROR_OUT_OF_MEMORY;
	*event = made->handle;
	event_link(STEAL(made));
	return CUDA_SUCCESS;
}

CUresult cuEventDestroy(CUevent event)
{
	CLEANUP(leave) struct api_call call = enter(NEED_ACTIVE);
	struct event *found;

	TRY(call.result);
	TRY(event_find(event, &found));
	leftover_event();
	event_free(found);
	return CUDA_SUCCESS;
}

CUresult cuEventDestroy_v1(CUevent event)
{
	return cuEventDestroy(event);
}

static void event_set(struct event *event, struct task *task)
{
	task_put(event->task);
	event->task = task_get(task);
}

CUresult event_prepare(CUevent event, struct task **task)
{
	struct event *found;

	TRY(event_find(event, &found));
	*task = task_new(TASK_MARK);
	return *task ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult event_record_by(CUevent event, CUstream stream, struct task *task)
{
	struct event *found;
	struct stream *where;

	TRY(event_find(event, &found));
	TRY(stream_find(stream, &where));
	TRY(stream_submit(where, task));
	event_set(found, task);
	return CUDA_SUCCESS;
}

/* The caller holds the lock. */
static CUresult event_record(CUevent event, CUstream stream)
{
	CLEANUP(put_task) struct task *task = NULL;

	TRY(event_prepare(event, &task));
	return event_record_by(event, stream, task);
}

CUresult cuEventRecord(CUevent event, CUstream stream)
{
	CLEANUP(leave) struct api_call call = enter(NEED_ACTIVE);

	TRY(call.result);
	return event_record(event, stream);
}

/* An event outside of any graph is recorded in the same way. */
CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned flags)
{
	CLEANUP(leave) struct api_call call = enter(NEED_ACTIVE);

	TRY(call.result);
	if (flags > 1)
		return CUDA_ERROR_INVALID_VALUE;
	return event_record(event, stream);
}

/* Tells whether waiting for @event has no effect. */
static bool orders_nothing(const struct event *event)
{
	return !event->task || (event->task->done && !order_wanted());
}

/* What is submitted to any stream of the context from now on waits for it. */
CUresult cuCtxWaitEvent(CUcontext ctx, CUevent event)
{
	CLEANUP(leave) struct api_call call = enter(NEED_ACTIVE);
	struct context *context;
	struct event *found;

	TRY(call.result);
	if (context_find(ctx, &context))
		return CUDA_ERROR_INVALID_CONTEXT;
	TRY(event_find(event, &found));
	if (orders_nothing(found))
		return CUDA_SUCCESS;
	return stream_hold_all(context, found->task);
}

/* An event of this context, unlike one that is waited for. */
CUresult cuCtxRecordEvent(CUcontext ctx, CUevent event)
{
	CLEANUP(leave) struct api_call call = enter(NEED_ACTIVE);
	CLEANUP(put_task) struct task *task = NULL;
	struct context *context;
	struct event *found;

	TRY(call.result);
	if (context_find(ctx, &context))
		return CUDA_ERROR_INVALID_CONTEXT;
	TRY(event_find(event, &found));
	if (found->context != context)
		return CUDA_ERROR_INVALID_HANDLE;
	task = task_new(TASK_MARK);
	if (!task)
		return CUDA_ERROR_OUT_OF_MEMORY;
	TRY(stream_submit_after_all(task, context));
	event_set(found, task);
	return CUDA_SUCCESS;
}

CUresult cuEventQuery(CUevent event)
{
	CLEANUP(leave) struct api_call call = enter(NEED_ACTIVE);
	struct event *found;

	TRY(call.result);
	TRY(event_find(event, &found));
	if (found->task && !found->task->done)
		return CUDA_ERROR_NOT_READY;
	if (found->task)
		order_awaited(found->task->order);
	return CUDA_SUCCESS;
}

CUresult cuEventSynchronize(CUevent event)
{
	CLEANUP(leave) struct api_call call = enter(NEED_ACTIVE);
	CLEANUP(put_task) struct task *task = NULL;
	struct event *found;

	TRY(call.result);
	TRY(event_find(event, &found));
	if (!found->task)
		return CUDA_SUCCESS;
	task = task_get(found->task);
	TRY(task_wait(task));
	return context_here()->domain.fault;
}

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags)
{
	CLEANUP(leave) struct api_call call = enter(NEED_ACTIVE);
	CLEANUP(put_task) struct task *task = NULL;
	struct event *found;
	struct stream *where;

	TRY(call.result);
	if (flags > 1)
		return CUDA_ERROR_INVALID_VALUE;
	TRY(event_find(event, &found));
	TRY(stream_find(stream, &where));
	if (orders_nothing(found))
		return CUDA_SUCCESS;
	task = task_new(TASK_MARK);
	if (!task)
		return CUDA_ERROR_OUT_OF_MEMORY;
	TRY(task_after(task, found->task));
	return stream_submit(where, task);
}

CUresult cuEventElapsedTime(float *ms, CUevent start, CUevent end)
{
	CLEANUP(leave) struct api_call call = enter(NEED_ACTIVE);
	struct event *first, *last;

	TRY(call.result);
	TRY(event_find(start, &first));
	TRY(event_find(end, &last));
	if (!first->task || !last->task || !first->timing || !last->timing)
		return CUDA_ERROR_INVALID_HANDLE;
	if (!ms)
		return CUDA_ERROR_INVALID_VALUE;
	if (!first->task->done || !last->task->done)
		return CUDA_ERROR_NOT_READY;
	order_awaited(first->task->order);
	order_awaited(last->task->order);
	*ms = (float)((double)((int64_t)last->task->time - (int64_t)first->task->time) / 1e6);
	return CUDA_SUCCESS;
}

CUresult cuEventElapsedTime_v2(float *ms, CUevent start, CUevent end)
{
	return cuEventElapsedTime(ms, start, end);
}
