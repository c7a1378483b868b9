/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "event.h"

#include <stdlib.h>

#include "cleanup.h"
#include "context.h"
#include "entry.h"
#include "exports.h"
#include "finding.h"
#include "handle.h"
#include "leftover.h"
#include "op.h"
#include "order.h"
#include "stream.h"

struct event {
	void *handle;
	bool timing;
	const struct context *context; /* borrowed: it ends with it */
	struct op *op;       /* referred to; NULL when never recorded */
	struct event *next, **link;
};

static struct event *events; /* owned */

/* Takes NULL. */
static void event_free(struct event *event)
{
	if (!event)
		return;
	if (event->link) {
		*event->link = event->next;
		if (event->next)
			event->next->link = event->link;
	}
	handle_free(event->handle);
	op_put(event->op);
	free(event);
}
DEFINE_CLEANUP(free_event, struct event *, event_free)

void event_tell_leaks(const struct context *context)
{
	unsigned count = 0;

	for (const struct event *event = events; event; event = event->next)
		if (!context || event->context == context)
			count++;
	finding_tell_kept(count, "event", "cuEventDestroy");
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

/* A stream in the place of an event is answered as by a real driver: 709. */
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
	CLEANUP(leave) struct entry entry = enter(NEED_CONTEXT);
	CLEANUP(free_event) struct event *made = NULL;

	TRY(entry.result);
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
	CLEANUP(leave) struct entry entry = enter(NEED_ACTIVE);
	struct event *found;

	TRY(entry.result);
	TRY(event_find(event, &found));
	leftover_event();
	event_free(found);
	return CUDA_SUCCESS;
}

CUresult cuEventDestroy_v1(CUevent event)
{
	return cuEventDestroy(event);
}

static void event_set(struct event *event, struct op *op)
{
	op_put(event->op);
	event->op = op_get(op);
}

CUresult event_prepare(CUevent event, struct op **op)
{
	struct event *found;

	TRY(event_find(event, &found));
	*op = op_new(OP_MARK);
	return *op ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult event_record_by(CUevent event, CUstream stream, struct op *op)
{
	struct event *found;
	struct stream *where;

	TRY(event_find(event, &found));
	TRY(stream_find(stream, &where));
	TRY(op_submit(op, where));
	event_set(found, op);
	return CUDA_SUCCESS;
}

/* The caller holds the lock. */
static CUresult event_record(CUevent event, CUstream stream)
{
	CLEANUP(put_op) struct op *op = NULL;

	TRY(event_prepare(event, &op));
	return event_record_by(event, stream, op);
}

CUresult cuEventRecord(CUevent event, CUstream stream)
{
	CLEANUP(leave) struct entry entry = enter(NEED_ACTIVE);

	TRY(entry.result);
	return event_record(event, stream);
}

/* An event outside of any graph is recorded alike. */
CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned flags)
{
	CLEANUP(leave) struct entry entry = enter(NEED_ACTIVE);

	TRY(entry.result);
	if (flags > 1)
		return CUDA_ERROR_INVALID_VALUE;
	return event_record(event, stream);
}

/* Tells whether waiting for @event makes no difference. */
static bool orders_nothing(const struct event *event)
{
	return !event->op || (event->op->done && !order_wanted());
}

/* What is submitted to any stream of the context from now on waits for it. */
CUresult cuCtxWaitEvent(CUcontext ctx, CUevent event)
{
	CLEANUP(leave) struct entry entry = enter(NEED_ACTIVE);
	struct context *context;
	struct event *found;

	TRY(entry.result);
	if (context_find(ctx, &context))
		return CUDA_ERROR_INVALID_CONTEXT;
	TRY(event_find(event, &found));
	if (orders_nothing(found))
		return CUDA_SUCCESS;
	return stream_hold_all(context, found->op);
}

/* An event of this context, unlike one that is waited for. */
CUresult cuCtxRecordEvent(CUcontext ctx, CUevent event)
{
	CLEANUP(leave) struct entry entry = enter(NEED_ACTIVE);
	CLEANUP(put_op) struct op *op = NULL;
	struct context *context;
	struct event *found;

	TRY(entry.result);
	if (context_find(ctx, &context))
		return CUDA_ERROR_INVALID_CONTEXT;
	TRY(event_find(event, &found));
	if (found->context != context)
		return CUDA_ERROR_INVALID_HANDLE;
	op = op_new(OP_MARK);
	if (!op)
		return CUDA_ERROR_OUT_OF_MEMORY;
	TRY(op_submit_after_all(op, context));
	event_set(found, op);
	return CUDA_SUCCESS;
}

CUresult cuEventQuery(CUevent event)
{
	CLEANUP(leave) struct entry entry = enter(NEED_ACTIVE);
	struct event *found;

	TRY(entry.result);
	TRY(event_find(event, &found));
	if (found->op && !found->op->done)
		return CUDA_ERROR_NOT_READY;
	if (found->op)
		order_known(found->op->order);
	return CUDA_SUCCESS;
}

CUresult cuEventSynchronize(CUevent event)
{
	CLEANUP(leave) struct entry entry = enter(NEED_ACTIVE);
	CLEANUP(put_op) struct op *op = NULL;
	struct event *found;

	TRY(entry.result);
	TRY(event_find(event, &found));
	if (!found->op)
		return CUDA_SUCCESS;
	op = op_get(found->op);
	TRY(op_wait(op));
	return context_fault(context_here());
}

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags)
{
	CLEANUP(leave) struct entry entry = enter(NEED_ACTIVE);
	CLEANUP(put_op) struct op *op = NULL;
	struct event *found;
	struct stream *where;

	TRY(entry.result);
	if (flags > 1)
		return CUDA_ERROR_INVALID_VALUE;
	TRY(event_find(event, &found));
	TRY(stream_find(stream, &where));
	if (orders_nothing(found))
		return CUDA_SUCCESS;
	op = op_new(OP_MARK);
	if (!op)
		return CUDA_ERROR_OUT_OF_MEMORY;
	TRY(op_after(op, found->op));
	return op_submit(op, where);
}

CUresult cuEventElapsedTime(float *ms, CUevent start, CUevent end)
{
	CLEANUP(leave) struct entry entry = enter(NEED_ACTIVE);
	struct event *first, *last;

	TRY(entry.result);
	TRY(event_find(start, &first));
	TRY(event_find(end, &last));
	if (!first->op || !last->op || !first->timing || !last->timing)
		return CUDA_ERROR_INVALID_HANDLE;
	if (!ms)
		return CUDA_ERROR_INVALID_VALUE;
	if (!first->op->done || !last->op->done)
		return CUDA_ERROR_NOT_READY;
	order_known(first->op->order);
	order_known(last->op->order);
	*ms = (float)((double)((int64_t)last->op->time - (int64_t)first->op->time) / 1e6);
	return CUDA_SUCCESS;
}

CUresult cuEventElapsedTime_v2(float *ms, CUevent start, CUevent end)
{
	return cuEventElapsedTime(ms, start, end);
}
