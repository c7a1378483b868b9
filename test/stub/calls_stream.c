/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Streams and events. Nothing runs; a stream is busy only when it was asked for. */
#include "calls.h"

CUresult stub_find_stream(CUstream stream, struct thing **context, unsigned *id)
{
	struct thing *thing;
	CUresult result;

	*context = stub_current();
	*id = 0;
	if (!*context)
		return CUDA_ERROR_INVALID_CONTEXT;
	if (!stream || stream == CU_STREAM_LEGACY || stream == CU_STREAM_PER_THREAD)
		return CUDA_SUCCESS;
	result = thing_find(stream, STREAM, &thing);
	if (result)
		return result;
	*context = thing->owner;
	*id = thing->id;
	return CUDA_SUCCESS;
}

CUresult stub_cuStreamCreate(CUstream *stream, unsigned flags)
{
	(void)flags;
	if (!stub_current())
		return CUDA_ERROR_INVALID_CONTEXT;
	*stream = (CUstream)thing_new(STREAM, stub_current());
	return CUDA_SUCCESS;
}

CUresult stub_cuStreamDestroy(CUstream stream)
{
	struct thing *thing;
	CUresult result = thing_find(stream, STREAM, &thing);

	if (!result)
		thing_end(thing);
	return result;
}

CUresult stub_cuStreamGetCtx(CUstream stream, CUcontext *context)
{
	struct thing *owner;
	unsigned id;
	CUresult result = stub_find_stream(stream, &owner, &id);
	struct thing *thing;

	/* The context of a stream needs no current one. */
	if (result == CUDA_ERROR_INVALID_CONTEXT && !thing_find(stream, STREAM, &thing)) {
		owner = thing->owner;
		result = CUDA_SUCCESS;
	}
	if (!result)
		*context = (CUcontext)owner;
	return result;
}

CUresult stub_cuStreamQuery(CUstream stream)
{
	struct thing *context;
	unsigned id;
	CUresult result = stub_find_stream(stream, &context, &id);

	if (!result && work_is_busy(context, id, work_mark()))
		result = CUDA_ERROR_NOT_READY;
	return result;
}

CUresult stub_cuStreamSynchronize(CUstream stream)
{
	struct thing *context;
	unsigned id;
	CUresult result = stub_find_stream(stream, &context, &id);

	if (!result)
		work_wait(context, id, work_mark());
	return result;
}

/* Whether what @event was recorded behind is unfinished. */
static bool is_pending(const struct thing *event)
{
	return event->recorded && work_is_busy(event->owner, event->stream, event->mark);
}

/* A stream that waits for unfinished work is as busy as after a launch of its own. */
CUresult stub_cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags)
{
	struct thing *context, *thing;
	unsigned id;
	CUresult result = stub_find_stream(stream, &context, &id);

	(void)flags;
	if (!result)
		result = thing_find(event, EVENT, &thing);
	if (!result && is_pending(thing))
		work_add(context, id);
	return result;
}

/* The function runs at once: the call waits for what it has to come after. */
CUresult stub_cuLaunchHostFunc(CUstream stream, CUhostFn function, void *data)
{
	CUresult result = stub_cuStreamSynchronize(stream);

	if (result)
		return result;
	stub_unlock();
	function(data);
	stub_lock();
	return CUDA_SUCCESS;
}

CUresult stub_cuStreamAddCallback(CUstream stream, CUstreamCallback callback, void *data,
				  unsigned flags)
{
	CUresult result = flags || !callback ? CUDA_ERROR_INVALID_VALUE :
					       stub_cuStreamSynchronize(stream);

	if (result)
		return result;
	stub_unlock();
	callback(stream, CUDA_SUCCESS, data);
	stub_lock();
	return CUDA_SUCCESS;
}

CUresult stub_cuEventCreate(CUevent *event, unsigned flags)
{
	(void)flags;
	if (!stub_current())
		return CUDA_ERROR_INVALID_CONTEXT;
	*event = (CUevent)thing_new(EVENT, stub_current());
	return CUDA_SUCCESS;
}

CUresult stub_cuEventDestroy(CUevent event)
{
	struct thing *thing;
	CUresult result = thing_find(event, EVENT, &thing);

	if (!result)
		thing_end(thing);
	return result;
}

CUresult stub_cuEventDestroy_v1(CUevent event)
{
	return stub_cuEventDestroy(event);
}

/* Puts @event behind all work so far of @stream of @context. */
static CUresult record(CUevent event, struct thing *context, unsigned stream)
{
	struct thing *thing;
	CUresult result = thing_find(event, EVENT, &thing);

	if (result)
		return result;
	if (thing->owner != context)
		return CUDA_ERROR_INVALID_HANDLE;
	thing->recorded = true;
	thing->stream = stream;
	thing->mark = work_mark();
	thing->time = work_time();
	return CUDA_SUCCESS;
}

CUresult stub_cuEventRecord(CUevent event, CUstream stream)
{
	struct thing *context;
	unsigned id;
	CUresult result = stub_find_stream(stream, &context, &id);

	return result ? result : record(event, context, id);
}

CUresult stub_cuCtxRecordEvent(CUcontext context, CUevent event)
{
	struct thing *thing;
	CUresult result = thing_find(context, CONTEXT, &thing);

	return result ? result : record(event, thing, WORK_ALL_STREAMS);
}

CUresult stub_cuEventQuery(CUevent event)
{
	struct thing *thing;
	CUresult result = thing_find(event, EVENT, &thing);

	if (!result)
		result = stub_check_unsafe();
	if (!result && is_pending(thing))
		result = CUDA_ERROR_NOT_READY;
	return result;
}

CUresult stub_cuEventSynchronize(CUevent event)
{
	struct thing *thing;
	CUresult result = thing_find(event, EVENT, &thing);

	if (!result && thing->recorded)
		work_wait(thing->owner, thing->stream, thing->mark);
	return result;
}

CUresult stub_cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end)
{
	struct thing *first, *last;
	CUresult result = thing_find(start, EVENT, &first);

	if (!result)
		result = thing_find(end, EVENT, &last);
	if (!result && !(first->recorded && last->recorded))
		result = CUDA_ERROR_INVALID_HANDLE;
	if (!result && (is_pending(first) || is_pending(last)))
		result = CUDA_ERROR_NOT_READY;
	*milliseconds = result ? 0 : (float)((double)last->time - (double)first->time);
	return result;
}
