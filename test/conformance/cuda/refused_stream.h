/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Bad arguments of what is about streams and events. */
#ifndef CONFORMANCE_REFUSED_STREAM_H
#define CONFORMANCE_REFUSED_STREAM_H

#include "refused.h"

static void nothing(void *data)
{
	(void)data;
}

static void noted(CUstream stream, CUresult result, void *data)
{
	(void)stream;
	(void)result;
	(void)data;
}

static void bad_stream(void)
{
	const CUstream s = good.stream;
	CUstreamAttrValue value = { .pad = { 0 } };
	unsigned long long id;
	CUcontext context;
	CUstream made;
	unsigned flags;

	REFUSED(cuStreamCreate, (NULL, 0), VALUE);
	REFUSED(cuStreamCreate, (&made, UNKNOWN), VALUE);
	REFUSED(cuStreamCreateWithPriority, (NULL, 0, 0), VALUE);
	REFUSED(cuStreamCreateWithPriority, (&made, UNKNOWN, 0), VALUE);
	REFUSED(cuStreamDestroy, (NULL), HANDLE, VALUE);
	REFUSED(cuStreamGetCtx, (s, NULL), VALUE);
	REFUSED(cuStreamGetDevice, (s, NULL), VALUE);
	REFUSED(cuStreamGetFlags, (s, NULL), VALUE);
	REFUSED(cuStreamGetId, (s, NULL), VALUE);
	REFUSED(cuStreamGetPriority, (s, NULL), VALUE);
	REFUSED(cuStreamIsCapturing, (s, NULL), VALUE);
	REFUSED(cuStreamGetCaptureInfo, (s, NULL, NULL, NULL, NULL, NULL, NULL), VALUE);
	REFUSED(cuStreamGetCaptureInfo_v1, (s, NULL, NULL), VALUE);
	REFUSED(cuStreamGetCaptureInfo_v2, (s, NULL, NULL, NULL, NULL, NULL), VALUE);
	HERE(cuStreamGetCtx_v2, (s, NULL, NULL), VALUE);
	HERE(cuStreamGetGreenCtx, (s, NULL), VALUE);
	REFUSED(cuStreamGetAttribute, (s, (CUstreamAttrID)UNKNOWN, &value), VALUE);
	REFUSED(cuStreamSetAttribute, (s, (CUstreamAttrID)UNKNOWN, &value), VALUE);
	HERE(cuStreamGetAttribute, (s, CU_LAUNCH_ATTRIBUTE_PRIORITY, NULL), VALUE);
	HERE(cuStreamSetAttribute, (s, CU_LAUNCH_ATTRIBUTE_PRIORITY, NULL), VALUE);
	REFUSED(cuStreamWaitEvent, (s, NULL, 0), HANDLE);
	REFUSED(cuStreamWaitEvent, (s, good.event, UNKNOWN), VALUE);
	REFUSED(cuLaunchHostFunc, (s, NULL, NULL), VALUE, HANDLE);
	REFUSED(cuStreamAddCallback, (s, NULL, NULL, 0), VALUE, HANDLE);
	REFUSED(cuStreamAddCallback, (s, noted, NULL, UNKNOWN), VALUE, HANDLE);
	OK_CU(cu.cuStreamCreate(&made, 0));
	OK_CU(cu.cuStreamDestroy(made));
	HERE(cuStreamDestroy, (made), HANDLE);
	HERE(cuStreamQuery, (made), HANDLE);
	HERE(cuStreamSynchronize, (made), HANDLE);
	HERE(cuStreamCopyAttributes, (s, made), HANDLE);
	HERE(cuStreamGetCtx, (made, &context), HANDLE);
	HERE(cuStreamGetFlags, (made, &flags), HANDLE);
	HERE(cuStreamGetId, (made, &id), HANDLE);
	HERE(cuLaunchHostFunc, (made, nothing, NULL), HANDLE);
	HERE(cuStreamAddCallback, (made, noted, NULL, 0), HANDLE);
	HERE(cuMemsetD8Async, (good.memory, 1, 1, made), HANDLE);
	HERE(cuMemcpyHtoDAsync, (good.memory, &flags, 4, made), HANDLE);
	HERE(cuMemAllocAsync, (&good.memory, 4, made), HANDLE);
	HERE(cuLaunchKernel, (good.nothing, 1, 1, 1, 1, 1, 1, 0, made, NULL, NULL), HANDLE);
}

static void bad_values(void)
{
	CUstreamBatchMemOpParams ops[1] = { { .operation = (CUstreamBatchMemOpType)UNKNOWN } };
	const CUdeviceptr at = good.memory;
	const CUstream s = good.stream;

	REFUSED(cuStreamWaitValue32, (s, 0, 0, 0), VALUE);
	REFUSED(cuStreamWaitValue32, (s, at + 2, 0, 0), VALUE);
	REFUSED(cuStreamWaitValue32, (s, at, 0, UNKNOWN), VALUE);
	REFUSED(cuStreamWaitValue64, (s, 0, 0, 0), VALUE);
	REFUSED(cuStreamWaitValue64, (s, at + 4, 0, 0), VALUE);
	REFUSED(cuStreamWriteValue32, (s, 0, 0, 0), VALUE);
	REFUSED(cuStreamWriteValue32, (s, at + 2, 0, 0), VALUE);
	REFUSED(cuStreamWriteValue32, (s, at, 0, UNKNOWN), VALUE);
	REFUSED(cuStreamWriteValue64, (s, 0, 0, 0), VALUE);
	REFUSED(cuStreamWriteValue64, (s, at + 4, 0, 0), VALUE);
	REFUSED(cuStreamBatchMemOp, (s, 1, ops, 0), VALUE);
	REFUSED(cuStreamBatchMemOp, (s, 257, ops, 0), VALUE);
	HERE(cuStreamBatchMemOp, (s, 1, NULL, 0), VALUE);
}

static void bad_event(void)
{
	CUevent event;
	float ms;

	REFUSED(cuEventCreate, (NULL, 0), VALUE);
	REFUSED(cuEventCreate, (&event, 0x10000), VALUE);
	REFUSED(cuEventDestroy, (NULL), HANDLE, VALUE);
	REFUSED(cuEventDestroy_v1, (NULL), HANDLE, VALUE);
	REFUSED(cuEventQuery, (NULL), HANDLE, VALUE);
	REFUSED(cuEventSynchronize, (NULL), HANDLE, VALUE);
	REFUSED(cuEventRecord, (NULL, good.stream), HANDLE, VALUE);
	REFUSED(cuEventRecordWithFlags, (NULL, good.stream, 0), HANDLE, VALUE);
	REFUSED(cuEventRecordWithFlags, (good.event, good.stream, UNKNOWN), VALUE);
	REFUSED(cuEventElapsedTime, (NULL, good.event, good.event), HANDLE); /* events first */
	REFUSED(cuEventElapsedTime, (&ms, good.event, NULL), HANDLE, VALUE);
	REFUSED(cuEventElapsedTime, (&ms, good.event, good.event), HANDLE); /* never recorded */
	REFUSED(cuEventElapsedTime_v2, (NULL, good.event, good.event), HANDLE);
	REFUSED(cuEventElapsedTime_v2, (&ms, good.event, good.event), HANDLE);
	OK_CU(cu.cuEventCreate(&event, 0));
	OK_CU(cu.cuEventRecord(event, good.stream));
	OK_CU(cu.cuEventSynchronize(event));
	HERE(cuEventElapsedTime, (NULL, event, event), VALUE);
	OK_CU(cu.cuEventDestroy(event));
	HERE(cuEventDestroy, (event), HANDLE);
	HERE(cuEventQuery, (event), HANDLE);
	HERE(cuEventRecord, (event, NULL), HANDLE);
	HERE(cuStreamWaitEvent, (NULL, event, 0), HANDLE);
}

#endif
