/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The driver's own calls: the fewest there can be, and those of MLIR's runtime. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "calls.h"

struct driver cu;

static CUcontext context;

void open_driver(void)
{
	const char *path = getenv("GPURUN_DRIVER");
	void *library = dlopen(path ? path : "libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
	CUdevice device;

	if (!library) {
		fprintf(stderr, "calls: %s\n", dlerror());
		exit(1);
	}
#define CUDA_API(name, symbol, need, params, args) cu.name = dlsym(library, symbol);
#include "cuda_api.def"
	EXPECT(cu.cuInit(0));
	EXPECT(cu.cuDeviceGet(&device, 0));
	EXPECT(cu.cuDevicePrimaryCtxRetain(&context, device));
	EXPECT(cu.cuCtxSetCurrent(context));
}

/* ---- The floor ------------------------------------------------------------ */

static struct {
	CUfunction function;
	CUstream stream;
	CUevent event;
} own;

static void launch(CUfunction function, CUstream stream)
{
	EXPECT(cu.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, arguments, NULL));
}

static void floor_set_up(void)
{
	CUmodule module;

	EXPECT(cu.cuModuleLoadData(&module, work.image));
	EXPECT(cu.cuModuleGetFunction(&own.function, module, "count"));
	EXPECT(cu.cuStreamCreate(&own.stream, CU_STREAM_NON_BLOCKING));
	EXPECT(cu.cuEventCreate(&own.event, CU_EVENT_DISABLE_TIMING));
}

static void floor_enqueue(void)
{
	launch(own.function, own.stream);
}

static void floor_sync(void)
{
	launch(own.function, own.stream);
	EXPECT(cu.cuStreamSynchronize(own.stream));
}

static void floor_event(void)
{
	launch(own.function, own.stream);
	EXPECT(cu.cuEventRecord(own.event, own.stream));
	EXPECT(cu.cuEventSynchronize(own.event));
}

static void floor_finish(void)
{
	EXPECT(cu.cuStreamSynchronize(own.stream));
}

/* Memory and modules have no floor: what is kept costs nothing. */
const struct way_calls calls_floor = {
	.set_up = floor_set_up,
	.operations = {
		[ENQUEUE] = floor_enqueue,
		[LAUNCH_SYNC] = floor_sync,
		[LAUNCH_FUNC] = floor_sync,
		[ASYNC_TOKEN] = floor_event,
	},
	.finish = floor_finish,
};

/* ---- Upstream --------------------------------------------------------------
 *
 * Its calls that create or launch make the context current and take that back.
 */

static struct {
	CUmodule module;
	CUfunction function;
	CUstream stream;
} theirs;

static void push(void)
{
	EXPECT(cu.cuCtxPushCurrent(context));
}

static void pop(void)
{
	CUcontext popped;

	EXPECT(cu.cuCtxPopCurrent(&popped));
}

static CUmodule module_load(void)
{
	CUmodule module;

	push();
	EXPECT(cu.cuModuleLoadData(&module, work.image));
	pop();
	return module;
}

static CUfunction get_function(CUmodule module)
{
	CUfunction function;

	EXPECT(cu.cuModuleGetFunction(&function, module, "count"));
	return function;
}

static CUstream stream_create(void)
{
	CUstream stream;

	push();
	EXPECT(cu.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	pop();
	return stream;
}

static CUevent event_create(void)
{
	CUevent event;

	push();
	EXPECT(cu.cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
	pop();
	return event;
}

static void scoped_launch(CUfunction function, CUstream stream)
{
	push();
	launch(function, stream);
	pop();
}

static void upstream_set_up(void)
{
	theirs.module = module_load();
	theirs.function = get_function(theirs.module);
	theirs.stream = stream_create();
}

static void upstream_enqueue(void)
{
	scoped_launch(theirs.function, theirs.stream);
}

static void upstream_sync(void)
{
	scoped_launch(theirs.function, theirs.stream);
	EXPECT(cu.cuStreamSynchronize(theirs.stream));
}

static void upstream_launch_func(void)
{
	CUfunction function = get_function(theirs.module);
	CUstream stream = stream_create();

	scoped_launch(function, stream);
	EXPECT(cu.cuStreamSynchronize(stream));
	EXPECT(cu.cuStreamDestroy(stream));
}

static void upstream_token(void)
{
	CUfunction function = get_function(theirs.module);
	CUstream stream = stream_create();
	CUevent event;

	scoped_launch(function, stream);
	event = event_create();
	EXPECT(cu.cuEventRecord(event, stream));
	EXPECT(cu.cuStreamDestroy(stream));
	EXPECT(cu.cuEventSynchronize(event));
	EXPECT(cu.cuEventDestroy(event));
}

static void alloc_free(size_t size)
{
	CUdeviceptr address;

	push();
	EXPECT(cu.cuMemAlloc(&address, size));
	pop();
	EXPECT(cu.cuMemFree(address));
}

static void upstream_small(void)
{
	alloc_free(SMALL);
}

static void upstream_large(void)
{
	alloc_free(LARGE);
}

static void upstream_load(void)
{
	EXPECT(cu.cuModuleUnload(module_load()));
}

static void upstream_finish(void)
{
	EXPECT(cu.cuStreamSynchronize(theirs.stream));
}

const struct way_calls calls_upstream = {
	.set_up = upstream_set_up,
	.operations = {
		[ENQUEUE] = upstream_enqueue,
		[LAUNCH_SYNC] = upstream_sync,
		[LAUNCH_FUNC] = upstream_launch_func,
		[ASYNC_TOKEN] = upstream_token,
		[ALLOC_SMALL] = upstream_small,
		[ALLOC_LARGE] = upstream_large,
		[LOAD] = upstream_load,
	},
	.finish = upstream_finish,
};
