/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The driver's own calls, the fewest there can be. */
#include <dlfcn.h>
#include <stdio.h>

#include "cuda_abi.h"
#include "sides.h"

static struct {
#define CUDA_API(name, symbol, need, params, args) CUresult (*name) params;
#include "cuda_api.def"
} cu;

static struct {
	CUdevice device;
	CUcontext context;
	CUmodule module;
	CUfunction function;
	CUstream stream;
	CUevent event;
	CUdeviceptr counter;
} own;

static void expect(CUresult status, const char *call)
{
	char text[20];

	snprintf(text, sizeof(text), "%d", status);
	if (status)
		fail(call, text);
}
#define EXPECT(call) expect(call, #call)

static void open_driver(const char *path)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);

	if (!library)
		fail("cannot open the driver", dlerror());
#define CUDA_API(name, symbol, need, params, args) cu.name = dlsym(library, symbol);
#include "cuda_api.def"
}

static void init(void)
{
	EXPECT(cu.cuInit(0));
	EXPECT(cu.cuDeviceGet(&own.device, 0));
	EXPECT(cu.cuDevicePrimaryCtxRetain(&own.context, own.device));
	EXPECT(cu.cuCtxSetCurrent(own.context));
}

static void new_counter(void)
{
	EXPECT(cu.cuMemAlloc(&own.counter, LARGE));
	EXPECT(cu.cuMemsetD32Async(own.counter, 0, 1, own.stream));
	work.arguments.out = own.counter;
}

static void free_counter(void)
{
	EXPECT(cu.cuMemFree(own.counter));
}

static void set_up(void)
{
	EXPECT(cu.cuStreamCreate(&own.stream, CU_STREAM_NON_BLOCKING));
	EXPECT(cu.cuEventCreate(&own.event, CU_EVENT_DISABLE_TIMING));
	new_counter();
	EXPECT(cu.cuModuleLoadData(&own.module, work.image));
	EXPECT(cu.cuModuleGetFunction(&own.function, own.module, "count"));
	EXPECT(cu.cuStreamSynchronize(own.stream));
}

static void enqueue(void)
{
	void *arguments[] = { &work.arguments.out, &work.arguments.step,
			      &work.arguments.limit };

	EXPECT(cu.cuLaunchKernel(own.function, 1, 1, 1, 1, 1, 1, 0, own.stream, arguments,
				 NULL));
}

static void finish(void)
{
	EXPECT(cu.cuStreamSynchronize(own.stream));
}

static void launch_sync(void)
{
	enqueue();
	finish();
}

static void event_idle(void)
{
	EXPECT(cu.cuEventRecord(own.event, own.stream));
	EXPECT(cu.cuEventSynchronize(own.event));
}

static void event_cycle(void)
{
	enqueue();
	event_idle();
}

static void alloc_free(size_t size)
{
	CUdeviceptr address;

	EXPECT(cu.cuMemAlloc(&address, size));
	EXPECT(cu.cuMemFree(address));
}

static void alloc_small(void)
{
	alloc_free(SMALL);
}

static void alloc_large(void)
{
	alloc_free(LARGE);
}

static void module_cycle(void)
{
	CUmodule module;

	EXPECT(cu.cuModuleLoadData(&module, work.image));
	EXPECT(cu.cuModuleUnload(module));
}

static unsigned counted(void)
{
	unsigned count = 0;

	EXPECT(cu.cuMemcpyDtoH(&count, own.counter, sizeof(count)));
	return count;
}

static void tear_down(void)
{
	EXPECT(cu.cuModuleUnload(own.module));
	free_counter();
	EXPECT(cu.cuEventDestroy(own.event));
	EXPECT(cu.cuStreamDestroy(own.stream));
}

static void shut_down(void)
{
	EXPECT(cu.cuCtxSetCurrent(NULL));
	EXPECT(cu.cuDevicePrimaryCtxRelease(own.device));
}

const struct side_calls side_bare = {
	.open = open_driver,
	.init = init,
	.set_up = set_up,
	.operations = {
		[ENQUEUE] = enqueue,
		[LAUNCH_SYNC] = launch_sync,
		[QUEUE_CYCLE] = launch_sync,
		[EVENT_CYCLE] = event_cycle,
		[EVENT_IDLE] = event_idle,
		[ALLOC_ALONE] = alloc_large,
		[ALLOC_LARGE] = alloc_large,
		[ALLOC_SMALL] = alloc_small,
		[PROGRAM] = module_cycle,
	},
	.finish = finish,
	.counted = counted,
	.new_counter = new_counter,
	.free_counter = free_counter,
	.tear_down = tear_down,
	.shut_down = shut_down,
};
