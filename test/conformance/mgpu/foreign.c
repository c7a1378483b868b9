/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Programs that call the driver as well: its things are taken, ours are the driver's
 * own, and no call minds or changes what is current for the thread.
 */
#include <pthread.h>

#include "mgpu.h"

static CUcontext primary;
static void *module, *stream;

static void *kernel(const char *name)
{
	return mgpuModuleGetFunction(module, name);
}

static CUstream new_stream(void)
{
	CUstream made = NULL;

	OK_CU(cu.cuStreamCreate(&made, CU_STREAM_NON_BLOCKING));
	return made;
}

static void test_stream(void)
{
	CUstream foreign = new_stream();
	void *memory = mgpuMemAlloc(4, foreign, 0), *event = mgpuEventCreate();
	void *params[] = { &memory };

	launch1(kernel("slow"), foreign, params);
	mgpuEventRecord(event, foreign);
	mgpuStreamWaitEvent(stream, event);
	mgpuStreamWaitEvent(foreign, event);
	if (executes())
		CHECK_INT(word_at(memory, stream), 84);
	mgpuMemset32(memory, 7, 1, foreign);
	CHECK_INT(word_at(memory, foreign), 7);
	mgpuStreamSynchronize(foreign);
	mgpuEventDestroy(event);
	mgpuMemFree(memory, foreign);
	OK_CU(cu.cuStreamDestroy(foreign));
}

static void test_event(void)
{
	CUstream other = mgpuStreamCreate();
	void *memory = mgpuMemAlloc(4, stream, 0);
	void *params[] = { &memory };
	CUevent foreign;

	OK_CU(cu.cuEventCreate(&foreign, CU_EVENT_DISABLE_TIMING));
	launch1(kernel("slow"), other, params);
	mgpuEventRecord(foreign, other);
	mgpuStreamWaitEvent(stream, foreign);
	if (executes())
		CHECK_INT(word_at(memory, stream), 84);
	mgpuEventSynchronize(foreign);
	CHECK_CU(cu.cuEventQuery(foreign), CUDA_SUCCESS);
	mgpuEventDestroy(foreign);
	mgpuStreamDestroy(other);
	mgpuMemFree(memory, stream);
}

static void test_module(void)
{
	void *memory = mgpuMemAlloc(4, stream, 0), *function;
	void *params[] = { &memory };
	CUfunction same = NULL;
	CUmodule foreign = NULL;

	OK_CU(cu.cuModuleLoadData(&foreign, kernels_ptx));
	OK_CU(cu.cuModuleGetFunction(&same, foreign, "slow"));
	function = mgpuModuleGetFunction(foreign, "slow");
	CHECK(function == same);
	launch1(function, stream, params);
	if (executes())
		CHECK_INT(word_at(memory, stream), 84);
	/* Ours knows nothing of theirs. */
	CHECK(function != kernel("slow"));
	mgpuModuleUnload(foreign);
	mgpuMemFree(memory, stream);
}

static void test_function_on_foreign_stream(void)
{
	void *memory = mgpuMemAlloc(4, stream, 0);
	void *params[] = { &memory };
	CUstream foreign = new_stream();
	CUfunction function = NULL;
	CUmodule theirs = NULL;

	OK_CU(cu.cuModuleLoadData(&theirs, kernels_ptx));
	OK_CU(cu.cuModuleGetFunction(&function, theirs, "slow"));
	launch1(function, foreign, params);
	if (executes())
		CHECK_INT(word_at(memory, foreign), 84);
	mgpuStreamDestroy(foreign);
	OK_CU(cu.cuModuleUnload(theirs));
	mgpuMemFree(memory, stream);
}

static void test_memory(void)
{
	CUdeviceptr foreign = 0;
	void *pointer;

	OK_CU(cu.cuMemAlloc(&foreign, 64));
	pointer = (void *)(uintptr_t)foreign;
	mgpuMemset32(pointer, 9, 16, stream);
	CHECK_INT(word_at(pointer, stream), 9);
	CHECK_INT(word_at((char *)pointer + 60, stream), 9);
	mgpuMemFree(pointer, stream);
	CHECK(cu.cuMemFree(foreign) != CUDA_SUCCESS);
}

/* What we make, the driver takes. */
static void test_ours(void)
{
	void *event = mgpuEventCreate(), *memory = mgpuMemAlloc(4, stream, 0);
	void *params[] = { &memory };
	uint32_t word = 0;

	OK_CU(cu.cuLaunchKernel(kernel("slow"), 1, 1, 1, 1, 1, 1, 0, stream, params, NULL));
	OK_CU(cu.cuMemcpyAsync((uintptr_t)&word, (uintptr_t)memory, 4, stream));
	OK_CU(cu.cuEventRecord(event, stream));
	OK_CU(cu.cuEventSynchronize(event));
	if (executes())
		CHECK_INT(word, 84);
	OK_CU(cu.cuStreamSynchronize(stream));
	mgpuEventDestroy(event);
	mgpuMemFree(memory, stream);
}

/* Makes use of everything that a context could matter to. */
static void use_all(void)
{
	void *own = load(), *side = mgpuStreamCreate(), *event = mgpuEventCreate();
	void *memory = mgpuMemAlloc(4, side, 0);
	void *params[] = { &memory };

	launch1(mgpuModuleGetFunction(own, "slow"), side, params);
	mgpuEventRecord(event, side);
	mgpuEventSynchronize(event);
	if (executes())
		CHECK_INT(word_at(memory, side), 84);
	mgpuEventDestroy(event);
	mgpuMemFree(memory, side);
	mgpuStreamDestroy(side);
	mgpuModuleUnload(own);
}

static void test_context_stays(void)
{
	CUcontext current = NULL;

	OK_CU(cu.cuCtxSetCurrent(primary));
	use_all();
	OK_CU(cu.cuCtxGetCurrent(&current));
	CHECK(current == primary);
}

static void *without_context(void *unused)
{
	(void)unused;
	use_all();
	return NULL;
}

static void test_no_context(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, without_context, NULL);
	pthread_join(thread, NULL);
	OK_CU(cu.cuCtxSetCurrent(NULL));
	use_all();
	OK_CU(cu.cuCtxSetCurrent(primary));
}

int main(void)
{
	hear_stderr();
	cuda_start();
	cu.cuCtxGetCurrent(&primary);
	module = load();
	stream = mgpuStreamCreate();
	RUN(test_stream);
	RUN(test_event);
	RUN(test_module);
	RUN(test_function_on_foreign_stream);
	RUN(test_memory);
	RUN(test_ours);
	RUN(test_context_stays);
	RUN(test_no_context);
	RUN(test_silence);
	return tap_end();
}
