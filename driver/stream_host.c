/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions of the host that streams call: the old kind (callbacks) and the new. */
#include "cleanup.h"
#include "entry.h"
#include "exports.h"
#include "op.h"
#include "stream.h"

/* One of @fn and @callback is to be called. */
static CUresult call_host(CUstream stream, CUhostFn fn, CUstreamCallback callback, void *data)
{
	CLEANUP(leave) struct entry entry = enter(NEED_ACTIVE);
	CLEANUP(put_op) struct op *op = NULL;
	struct stream *found;

	TRY(entry.result);
	if (!fn && !callback)
		return CUDA_ERROR_INVALID_VALUE;
	TRY(stream_find(stream, &found));
	op = op_new(OP_HOST);
	if (!op)
		return CUDA_ERROR_OUT_OF_MEMORY;
	op->host.fn = fn;
	op->host.callback = callback;
	op->host.stream = stream;
	op->host.data = data;
	return op_submit(op, found);
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
