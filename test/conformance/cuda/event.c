/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Events: recording, waiting, time, re-recording, and handles of the wrong kind. */
#include "cuda_kernels.h"

static CUmodule module;
static CUfunction wait_for, step;
static CUstream one, two;

struct gate {
	atomic_uint *flag;
	CUdeviceptr address;
};

static struct gate gate_new(CUstream stream)
{
	struct gate gate;
	void *params[] = { &gate.address };

	gate.flag = cuda_flag(&gate.address);
	OK_CU(cuda_launch1(wait_for, stream, params));
	return gate;
}

static CUevent event_new(unsigned flags)
{
	CUevent event = NULL;

	OK_CU(cu.cuEventCreate(&event, flags));
	return event;
}

static void test_never_recorded(void)
{
	CUevent event = event_new(0), other = event_new(0);
	float ms;

	OK_CU(cu.cuEventQuery(event));
	OK_CU(cu.cuEventSynchronize(event));
	OK_CU(cu.cuStreamWaitEvent(one, event, 0));
	CHECK_CU(cu.cuEventElapsedTime(&ms, event, other), CUDA_ERROR_INVALID_HANDLE);
	OK_CU(cu.cuEventDestroy(event));
	OK_CU(cu.cuEventDestroy(other));
}

static void test_pending(void)
{
	CUevent event = event_new(CU_EVENT_DISABLE_TIMING);
	struct gate gate = gate_new(one);

	OK_CU(cu.cuEventRecord(event, one));
	CHECK_CU(cu.cuEventQuery(event), CUDA_ERROR_NOT_READY);
	*gate.flag = 1;
	OK_CU(cu.cuEventSynchronize(event));
	OK_CU(cu.cuEventQuery(event));
	OK_CU(cu.cuEventDestroy(event));
}

static void test_between_streams(void)
{
	CUevent event = event_new(CU_EVENT_DISABLE_TIMING);
	struct gate gate = gate_new(one);

	OK_CU(cu.cuEventRecord(event, one));
	OK_CU(cu.cuStreamWaitEvent(two, event, 0));
	sleep_ms(10);
	CHECK_CU(cu.cuStreamQuery(two), CUDA_ERROR_NOT_READY);
	OK_CU(cu.cuEventDestroy(event));
	*gate.flag = 1;
	OK_CU(cu.cuStreamSynchronize(two));
	OK_CU(cu.cuStreamQuery(one));
}

/* A wait is for what was recorded when it was asked for. */
static void test_recorded_again(void)
{
	CUevent event = event_new(CU_EVENT_DISABLE_TIMING);
	struct gate gate;

	OK_CU(cu.cuEventRecord(event, one));
	OK_CU(cu.cuStreamSynchronize(one));
	OK_CU(cu.cuStreamWaitEvent(two, event, 0));
	gate = gate_new(one);
	OK_CU(cu.cuEventRecord(event, one));
	OK_CU(cu.cuStreamSynchronize(two));
	CHECK_CU(cu.cuEventQuery(event), CUDA_ERROR_NOT_READY);
	*gate.flag = 1;
	OK_CU(cu.cuEventSynchronize(event));
	OK_CU(cu.cuEventDestroy(event));
}

static void test_elapsed(void)
{
	CUevent first = event_new(0), last = event_new(0);
	CUevent plain = event_new(CU_EVENT_DISABLE_TIMING);
	struct gate gate;
	float ms = -1;

	OK_CU(cu.cuEventRecord(first, one));
	gate = gate_new(one);
	OK_CU(cu.cuEventRecord(last, one));
	OK_CU(cu.cuEventRecord(plain, one));
	CHECK_CU(cu.cuEventElapsedTime(&ms, first, last), CUDA_ERROR_NOT_READY);
	sleep_ms(30);
	*gate.flag = 1;
	OK_CU(cu.cuEventSynchronize(last));
	OK_CU(cu.cuEventElapsedTime(&ms, first, last));
	CHECK(ms >= 20 && ms < 60000);
	OK_CU(cu.cuEventSynchronize(plain));
	CHECK_CU(cu.cuEventElapsedTime(&ms, first, plain), CUDA_ERROR_INVALID_HANDLE);
	OK_CU(cu.cuEventDestroy(first));
	OK_CU(cu.cuEventDestroy(last));
	OK_CU(cu.cuEventDestroy(plain));
}

static void test_context(void)
{
	CUevent event = event_new(CU_EVENT_DISABLE_TIMING);
	struct gate gate;
	CUcontext context;

	if (!cu.cuCtxRecordEvent)
		return;
	gate = gate_new(one);
	OK_CU(cu.cuCtxGetCurrent(&context));
	OK_CU(cu.cuCtxRecordEvent(context, event));
	CHECK_CU(cu.cuEventQuery(event), CUDA_ERROR_NOT_READY);
	*gate.flag = 1;
	OK_CU(cu.cuEventSynchronize(event));
	OK_CU(cu.cuEventDestroy(event));
}

/* A stream where an event belongs is told at once, not waited for. */
static void test_stream_as_event(void)
{
	CHECK_CU(cu.cuEventSynchronize((CUevent)one), CUDA_ERROR_CONTEXT_IS_DESTROYED);
	CHECK_CU(cu.cuEventDestroy((CUevent)one), CUDA_ERROR_CONTEXT_IS_DESTROYED);
	CHECK_CU(cu.cuEventQuery((CUevent)one), CUDA_ERROR_CONTEXT_IS_DESTROYED);
	CHECK_CU(cu.cuEventRecord((CUevent)one, two), CUDA_ERROR_CONTEXT_IS_DESTROYED);
	CHECK_CU(cu.cuStreamWaitEvent(two, (CUevent)one, 0), CUDA_ERROR_CONTEXT_IS_DESTROYED);
	OK_CU(cu.cuStreamSynchronize(one));
}

static void test_event_as_stream(void)
{
	CUevent event = event_new(0);

	CHECK_CU(cu.cuStreamSynchronize((CUstream)event), CUDA_ERROR_CONTEXT_IS_DESTROYED);
	CHECK_CU(cu.cuStreamDestroy((CUstream)event), CUDA_ERROR_CONTEXT_IS_DESTROYED);
	OK_CU(cu.cuEventDestroy(event));
}

/* Only the CPU device: a real driver follows a stale handle, and crashes. */
static void test_stale(void)
{
	CUevent event = event_new(0);
	CUstream stream;

	if (!cu.gpurunCpuReport)
		return;
	OK_CU(cu.cuEventDestroy(event));
	CHECK_CU(cu.cuEventDestroy(event), CUDA_ERROR_INVALID_HANDLE);
	CHECK_CU(cu.cuEventSynchronize(event), CUDA_ERROR_INVALID_HANDLE);
	OK_CU(cu.cuStreamCreate(&stream, 0));
	OK_CU(cu.cuStreamDestroy(stream));
	CHECK_CU(cu.cuStreamDestroy(stream), CUDA_ERROR_INVALID_HANDLE);
	CHECK_CU(cu.cuStreamSynchronize(stream), CUDA_ERROR_INVALID_HANDLE);
	CHECK_CU(cu.cuStreamSynchronize((CUstream)0xdeadbeef00), CUDA_ERROR_INVALID_HANDLE);
	CHECK_CU(cu.cuEventQuery((CUevent)0x10), CUDA_ERROR_INVALID_HANDLE);
}

static void test_refused(void)
{
	CUevent event;

	CHECK_CU(cu.cuEventCreate(NULL, 0), CUDA_ERROR_INVALID_VALUE);
	CHECK_CU(cu.cuEventCreate(&event, 999), CUDA_ERROR_INVALID_VALUE);
	CHECK_CU(cu.cuEventSynchronize(NULL), CUDA_ERROR_INVALID_HANDLE);
	CHECK_CU(cu.cuEventQuery(NULL), CUDA_ERROR_INVALID_HANDLE);
	CHECK_CU(cu.cuEventDestroy(NULL), CUDA_ERROR_INVALID_HANDLE);
}

int main(void)
{
	cuda_start();
	module = cuda_kernels();
	wait_for = cuda_function(module, "wait");
	step = cuda_function(module, "step");
	OK_CU(cu.cuStreamCreate(&one, CU_STREAM_NON_BLOCKING));
	OK_CU(cu.cuStreamCreate(&two, CU_STREAM_NON_BLOCKING));
	RUN(test_never_recorded);
	RUN(test_pending);
	RUN(test_between_streams);
	RUN(test_recorded_again);
	RUN(test_elapsed);
	RUN(test_context);
	RUN(test_stream_as_event);
	RUN(test_event_as_stream);
	RUN(test_stale);
	RUN(test_refused);
	return tap_end();
}
