/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Capture of streams, and graphs: one is launched as if it was one kernel. The calls of cuda_api.def
 * without parameters there are exported here; nothing tells them to fail.
 */
#include "calls.h"

/* What only a driver that can capture answers. */
#define STREAM_CAPTURE_UNSUPPORTED ((CUresult)900)
#define STREAM_CAPTURE_INVALIDATED ((CUresult)901)
#define STREAM_CAPTURE_IMPLICIT    ((CUresult)906)

static __thread CUstreamCaptureMode mode_here = CU_STREAM_CAPTURE_MODE_GLOBAL;

static unsigned unsafe; /* streams that are captured in the mode GLOBAL */
static bool broken;     /* one of those captures, by an unsafe call */

enum capture stub_capture(CUstream stream)
{
	struct thing *thing;

	return stream && !thing_find(stream, STREAM, &thing) ? thing->capture : NO_CAPTURE;
}

CUresult stub_check_unsafe(void)
{
	if (!unsafe || mode_here == CU_STREAM_CAPTURE_MODE_RELAXED)
		return CUDA_SUCCESS;
	broken = true;
	return STREAM_CAPTURE_UNSUPPORTED;
}

CUresult stub_cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode)
{
	const CUstreamCaptureMode before = mode_here;

	mode_here = *mode;
	*mode = before;
	return CUDA_SUCCESS;
}

/* Of the default stream a driver does not say it while a stream is captured that waits for it. */
CUresult stub_cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus *status)
{
	struct thing *context;
	unsigned id;
	CUresult result = stub_find_stream(stream, &context, &id);

	if (!result && !id && unsafe)
		result = STREAM_CAPTURE_IMPLICIT;
	if (!result)
		*status = stub_capture(stream) ? CU_STREAM_CAPTURE_STATUS_ACTIVE :
						 CU_STREAM_CAPTURE_STATUS_NONE;
	return result;
}

static CUresult begin_capture(CUstream stream, CUstreamCaptureMode mode)
{
	struct thing *thing;
	CUresult result = thing_find(stream, STREAM, &thing);

	if (result)
		return result;
	if (thing->capture)
		return CUDA_ERROR_ILLEGAL_STATE;
	thing->capture = mode == CU_STREAM_CAPTURE_MODE_GLOBAL ? CAPTURE_UNSAFE : CAPTURE_RELAXED;
	unsafe += thing->capture == CAPTURE_UNSAFE;
	return CUDA_SUCCESS;
}

static CUresult end_capture(CUstream stream, CUgraph *graph)
{
	struct thing *thing;
	CUresult result = thing_find(stream, STREAM, &thing);

	if (result)
		return result;
	if (!thing->capture)
		return CUDA_ERROR_ILLEGAL_STATE;
	if (thing->capture == CAPTURE_UNSAFE && !--unsafe && broken)
		result = STREAM_CAPTURE_INVALIDATED;
	broken = broken && unsafe;
	thing->capture = NO_CAPTURE;
	*graph = result ? NULL : (CUgraph)thing_new(GRAPH, thing->owner);
	return result;
}

static CUresult instantiate(CUgraphExec *exec, CUgraph graph, unsigned long long flags)
{
	struct thing *thing;
	CUresult result = thing_find(graph, GRAPH, &thing);

	(void)flags;
	if (!result)
		*exec = (CUgraphExec)thing_new(GRAPH, thing->owner);
	return result;
}

static CUresult launch_graph(CUgraphExec exec, CUstream stream)
{
	struct thing *context, *thing;
	unsigned id;
	CUresult result = stub_find_stream(stream, &context, &id);

	if (!result)
		result = thing_find(exec, GRAPH, &thing);
	if (!result && stub_capture(stream) == NO_CAPTURE)
		work_launch(context, id);
	return result;
}

static CUresult destroy(void *graph)
{
	struct thing *thing;
	CUresult result = thing_find(graph, GRAPH, &thing);

	if (!result)
		thing_end(thing);
	return result;
}

static void line(const char *name, enum trace_kind kind, const void *handle, CUresult result)
{
	if (!trace_begin(name))
		return;
	trace_argument(kind, &handle, result);
	trace_end(result);
}

/* @made: what the call does; @handle: what its line has. */
#define CALL(name, symbol, params, made, kind, handle)                                   \
	__attribute__((visibility("default"))) CUresult graph_##name params __asm__(symbol); \
	CUresult graph_##name params                                                     \
	{                                                                                \
		CUresult result;                                                         \
                                                                                         \
		stub_lock();                                                             \
		result = made;                                                           \
		line(#name, kind, handle, result);                                       \
		stub_unlock();                                                           \
		return result;                                                           \
	}

CALL(cuStreamBeginCapture, "cuStreamBeginCapture_v2", (CUstream stream, CUstreamCaptureMode mode),
     begin_capture(stream, mode), TRACE_HANDLE, stream)
CALL(cuStreamEndCapture, "cuStreamEndCapture", (CUstream stream, CUgraph *graph),
     end_capture(stream, graph), TRACE_HANDLE, stream)
CALL(cuGraphInstantiateWithFlags, "cuGraphInstantiateWithFlags",
     (CUgraphExec *exec, CUgraph graph, unsigned long long flags), instantiate(exec, graph, flags),
     TRACE_OUT_HANDLE, exec)
CALL(cuGraphLaunch, "cuGraphLaunch", (CUgraphExec exec, CUstream stream), launch_graph(exec, stream),
     TRACE_HANDLE, exec)
CALL(cuGraphDestroy, "cuGraphDestroy", (void *graph), destroy(graph), TRACE_HANDLE, graph)
CALL(cuGraphExecDestroy, "cuGraphExecDestroy", (void *exec), destroy(exec), TRACE_HANDLE, exec)
