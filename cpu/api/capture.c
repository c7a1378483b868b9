/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Nothing here records what streams do: what is asked of that, and what a thread says of it. */
#include "cleanup.h"
#include "entry.h"
#include "exports.h"
#include "stream.h"

static __thread CUstreamCaptureMode mode_here; /* which calls a capture would forbid */

static CUresult tell_none(CUstream stream, CUstreamCaptureStatus *status)
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
	return tell_none(stream, status);
}

/* What else could be told stays as it is: it is of a capture that goes on. */
CUresult cuStreamGetCaptureInfo(CUstream stream, CUstreamCaptureStatus *status, uint64_t *id,
				CUgraph *graph, const CUgraphNode **nodes,
				const CUgraphEdgeData **edges, size_t *count)
{
	(void)id, (void)graph, (void)nodes, (void)edges, (void)count;
	return tell_none(stream, status);
}

CUresult cuStreamGetCaptureInfo_v2(CUstream stream, CUstreamCaptureStatus *status, uint64_t *id,
				   CUgraph *graph, const CUgraphNode **nodes, size_t *count)
{
	(void)id, (void)graph, (void)nodes, (void)count;
	return tell_none(stream, status);
}

CUresult cuStreamGetCaptureInfo_v1(CUstream stream, CUstreamCaptureStatus *status, uint64_t *id)
{
	(void)id;
	return tell_none(stream, status);
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
