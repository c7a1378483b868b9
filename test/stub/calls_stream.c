/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Streams and events. Nothing runs, so everything is done at once. */
#include "calls.h"

/* Checks a stream: one of ours, or the default stream under either name. */
static CUresult check_stream(CUstream stream)
{
	struct thing *thing;

	if (!stub_current())
		return CUDA_ERROR_INVALID_CONTEXT;
	if (!stream || stream == CU_STREAM_LEGACY || stream == CU_STREAM_PER_THREAD)
		return CUDA_SUCCESS;
	return thing_find(stream, STREAM, &thing);
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
		thing->live = false;
	return result;
}

CUresult stub_cuStreamGetCtx(CUstream stream, CUcontext *context)
{
	struct thing *thing;
	CUresult result = thing_find(stream, STREAM, &thing);

	if (!result)
		*context = (CUcontext)thing->owner;
	return result;
}

CUresult stub_cuStreamQuery(CUstream stream)
{
	return check_stream(stream);
}

CUresult stub_cuStreamSynchronize(CUstream stream)
{
	return check_stream(stream);
}

CUresult stub_cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags)
{
	struct thing *thing;
	CUresult result = check_stream(stream);

	(void)flags;
	return result ? result : thing_find(event, EVENT, &thing);
}

/* The function runs at once: all earlier work is done. */
CUresult stub_cuLaunchHostFunc(CUstream stream, CUhostFn function, void *data)
{
	CUresult result = check_stream(stream);

	if (result)
		return result;
	stub_unlock();
	function(data);
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
		thing->live = false;
	return result;
}

CUresult stub_cuEventRecord(CUevent event, CUstream stream)
{
	struct thing *thing;
	CUresult result = check_stream(stream);

	if (!result)
		result = thing_find(event, EVENT, &thing);
	if (!result)
		thing->recorded = true;
	return result;
}

CUresult stub_cuEventQuery(CUevent event)
{
	struct thing *thing;

	return thing_find(event, EVENT, &thing);
}

CUresult stub_cuEventSynchronize(CUevent event)
{
	struct thing *thing;

	return thing_find(event, EVENT, &thing);
}

CUresult stub_cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end)
{
	struct thing *first, *last;
	CUresult result = thing_find(start, EVENT, &first);

	if (!result)
		result = thing_find(end, EVENT, &last);
	if (!result && !(first->recorded && last->recorded))
		result = CUDA_ERROR_INVALID_HANDLE;
	*milliseconds = 1;
	return result;
}
