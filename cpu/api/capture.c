/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Stream capture, which does not exist here: queries of it, and a thread's capture mode. */
#include "cleanup.h"
#include "entry.h"
#include "exports.h"
#include "stream.h"

static __thread CUstreamCaptureMode mode_here; /* which calls a capture would forbid */

static CUresult return_not_capturing(CUstream stream, CUstreamCaptureStatus *status)
{
	CLEANUP(leave) struct api_call call = enter_from(NEED_ACTIVE, "cuStreamGetCaptureInfo");
	struct stream *found;

	TRY(call.result);
	if (!status)
		return CUDA_ERROR_INVALID_VALUE;
	TRY(stream_find(stream, &found));
	*status = CU_STREAM_CAPTURE_STATUS_NONE;
	return CUDA_SUCCESS;
}

CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus *status)
{
	return return_not_capturing(stream, status);
}

/* The other results are left unchanged: they are of an active capture. */
CUresult cuStreamGetCaptureInfo(CUstream stream, CUstreamCaptureStatus *status, uint64_t *id,
				CUgraph *graph, const CUgraphNode **nodes,
				const CUgraphEdgeData **edges, size_t *count)
{
	(void)id, (void)graph, (void)nodes, (void)edges, (void)count;
	return return_not_capturing(stream, status);
}

CUresult cuStreamGetCaptureInfo_v2(CUstream stream, CUstreamCaptureStatus *status, uint64_t *id,
				   CUgraph *graph, const CUgraphNode **nodes, size_t *count)
{
	(void)id, (void)graph, (void)nodes, (void)count;
	return return_not_capturing(stream, status);
}

CUresult cuStreamGetCaptureInfo_v1(CUstream stream, CUstreamCaptureStatus *status, uint64_t *id)
{
	(void)id;
	return return_not_capturing(stream, status);
}

CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode)
{
	CLEANUP(leave) struct api_call call = enter(NEED_INIT);
	CUstreamCaptureMode before = mode_here;

	TRY(call.result);
	if (!mode || *mode > CU_STREAM_CAPTURE_MODE_RELAXED)
		return CUDA_ERROR_INVALID_VALUE;
	mode_here = *mode;
	*mode = before;
	return CUDA_SUCCESS;
}
