/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Waiting inside a host function: what ends, and what never does. */
#ifndef CONFORMANCE_ANSWERS_WAIT_H
#define CONFORMANCE_ANSWERS_WAIT_H

#include "answers_host.h"

static CUfunction waits; /* a kernel that ends when the flag is set */
static atomic_uint *flag;
static CUdeviceptr flag_address;

static void prepare_wait(void)
{
	prepare_host();
	OK_CU(cu.cuModuleGetFunction(&waits, in.module, "wait"));
	flag = cuda_flag(&flag_address);
}

static void wait_own(void *data)
{
	(void)data;
	answer("waits for its own stream: %d", cu.cuStreamSynchronize(in.stream));
}

static void wait_later(void *data)
{
	(void)data;
	answer("waits for an event after itself: %d", cu.cuEventSynchronize(in.later));
}

static void wait_null(void *data)
{
	(void)data;
	answer("waits for the NULL stream, which waits for it: %d", cu.cuStreamSynchronize(NULL));
}

static void wait_kernel(void *data)
{
	(void)data;
	answer("the kernel's stream: %d", cu.cuStreamQuery(in.idle));
	atomic_store(flag, 1);
	answer("waits for a kernel: %d", cu.cuStreamSynchronize(in.idle));
}

static void note(void *data)
{
	answer("another host function runs%s: 0", (const char *)data);
}

static void wait_host(void *data)
{
	(void)data;
	answer("launches one: %d", cu.cuLaunchHostFunc(in.idle, note, ", launched inside"));
	answer("waits for it: %d", cu.cuStreamSynchronize(in.idle));
}

static void wait_slowly(void *data)
{
	usleep(300000);
	note(data);
}

static void order(void *data)
{
	(void)data;
	usleep(300000);
	answer("the first host function ends: 0");
}

static void destroy(void *data)
{
	(void)data;
	answer("cuEventDestroy as it was in CUDA 3: %d", cu.cuEventDestroy_v1(in.old_event));
}

static void ask_waiting(CUhostFn fn)
{
	prepare_wait();
	OK_CU(cu.cuLaunchHostFunc(in.stream, fn, NULL));
	OK_CU(cu.cuEventRecord(in.later, in.stream));
	answer("it ends: %d", cu.cuStreamSynchronize(in.stream));
}

static void ask_wait_own(void)
{
	ask_waiting(wait_own);
}

static void ask_wait_later(void)
{
	prepare_wait();
	OK_CU(cu.cuStreamWaitEvent(in.stream, in.done, 0));
	OK_CU(cu.cuLaunchHostFunc(in.stream, order, NULL));
	OK_CU(cu.cuLaunchHostFunc(in.stream, wait_later, NULL));
	OK_CU(cu.cuEventRecord(in.later, in.stream));
	answer("it ends: %d", cu.cuStreamSynchronize(in.stream));
}

static void ask_wait_null(void)
{
	CUstream blocking;

	prepare_wait();
	OK_CU(cu.cuStreamCreate(&blocking, 0));
	OK_CU(cu.cuLaunchHostFunc(blocking, wait_null, NULL));
	answer("it ends: %d", cu.cuStreamSynchronize(blocking));
}

static void ask_wait_kernel(void)
{
	void *params[] = { &flag_address };

	prepare_wait();
	OK_CU(cuda_launch1(waits, in.idle, params));
	OK_CU(cu.cuLaunchHostFunc(in.stream, wait_kernel, NULL));
	answer("it ends: %d", cu.cuStreamSynchronize(in.stream));
}

static void ask_destroy(void)
{
	ask_waiting(destroy);
}

static void ask_wait_host(void)
{
	ask_waiting(wait_host);
}

/* Of two streams: one begins while the other still runs, or not. */
static void ask_two(void)
{
	prepare_wait();
	OK_CU(cu.cuLaunchHostFunc(in.stream, order, NULL));
	OK_CU(cu.cuLaunchHostFunc(in.idle, note, " on another stream"));
	OK_CU(cu.cuStreamSynchronize(in.idle));
	OK_CU(cu.cuStreamSynchronize(in.stream));
	OK_CU(cu.cuLaunchHostFunc(in.stream, wait_slowly, " slowly"));
	answer("the stream at once: %d", cu.cuStreamQuery(in.stream));
	answer("it ends: %d", cu.cuCtxSynchronize());
}

#endif
