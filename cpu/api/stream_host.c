/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions of the host that streams call: the old kind (callbacks) and the new. */
#include "cleanup.h"
#include "entry.h"
#include "exports.h"
#include "task.h"
#include "stream.h"

/* One of @fn and @callback is to be called. */
static CUresult call_host(CUstream stream, CUhostFn fn, CUstreamCallback callback, void *data)
{
	CLEANUP(leave) struct api_call call = enter(NEED_ACTIVE);
	CLEANUP(put_task) struct task *task = NULL;
	struct stream *found;

	TRY(call.result);
	if (!fn && !callback)
		return CUDA_ERROR_INVALID_VALUE;
	TRY(stream_find(stream, &found));
	task = task_new(TASK_HOST);
	if (!task)
		return CUDA_ERROR_OUT_OF_MEMORY;
	task->host.fn = fn;
	task->host.callback = callback;
	task->host.stream = stream;
	task->host.data = data;
	return stream_submit(found, task);
}

CUresult cuLaunchHostFunc(CUstream stream, CUhostFn fn, void *data)
{
	return call_host(stream, fn, NULL, data);
}

CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback callback, void *data,
			     unsigned flags)
{
	return call_host(stream, NULL, flags ? NULL : callback, data);
}
