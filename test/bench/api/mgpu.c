/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* libmlir_cuda_runtime, opened from the folder of libgpurun.so. */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "calls.h"
#include "gpurun.h"

static struct {
	void *(*mgpuModuleLoad)(const void *image, size_t size);
	void (*mgpuModuleUnload)(void *module);
	void *(*mgpuModuleGetFunction)(void *module, const char *name);
	void (*mgpuLaunchKernel)(void *function, intptr_t gx, intptr_t gy, intptr_t gz,
				 intptr_t bx, intptr_t by, intptr_t bz, int32_t shared,
				 void *stream, void **params, void **extra, size_t count);
	void *(*mgpuStreamCreate)(void);
	void (*mgpuStreamDestroy)(void *stream);
	void (*mgpuStreamSynchronize)(void *stream);
	void *(*mgpuEventCreate)(void);
	void (*mgpuEventDestroy)(void *event);
	void (*mgpuEventSynchronize)(void *event);
	void (*mgpuEventRecord)(void *event, void *stream);
	void *(*mgpuMemAlloc)(uint64_t size, void *stream, bool shared);
	void (*mgpuMemFree)(void *address, void *stream);
} mgpu;

static struct {
	void *module, *function, *stream;
} own;

int open_mgpu(void)
{
	char path[4096];
	void *library;
	Dl_info self;

	dladdr((void *)gpurun_version, &self);
	snprintf(path, sizeof(path), "%.*s/libmlir_cuda_runtime.so",
		 (int)(strrchr(self.dli_fname, '/') - self.dli_fname), self.dli_fname);
	library = dlopen(path, RTLD_NOW);
	if (!library)
		return 0;
#define FIND(name) mgpu.name = dlsym(library, #name)
	FIND(mgpuModuleLoad);
	FIND(mgpuModuleUnload);
	FIND(mgpuModuleGetFunction);
	FIND(mgpuLaunchKernel);
	FIND(mgpuStreamCreate);
	FIND(mgpuStreamDestroy);
	FIND(mgpuStreamSynchronize);
	FIND(mgpuEventCreate);
	FIND(mgpuEventDestroy);
	FIND(mgpuEventSynchronize);
	FIND(mgpuEventRecord);
	FIND(mgpuMemAlloc);
	FIND(mgpuMemFree);
	return 1;
}

static void launch(void *function, void *stream)
{
	mgpu.mgpuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, arguments, NULL, 3);
}

static void set_up(void)
{
	own.module = mgpu.mgpuModuleLoad(work.image, work.image_size);
	own.function = mgpu.mgpuModuleGetFunction(own.module, "count");
	own.stream = mgpu.mgpuStreamCreate();
}

static void enqueue(void)
{
	launch(own.function, own.stream);
}

static void launch_sync(void)
{
	launch(own.function, own.stream);
	mgpu.mgpuStreamSynchronize(own.stream);
}

static void launch_func(void)
{
	void *function = mgpu.mgpuModuleGetFunction(own.module, "count");
	void *stream = mgpu.mgpuStreamCreate();

	launch(function, stream);
	mgpu.mgpuStreamSynchronize(stream);
	mgpu.mgpuStreamDestroy(stream);
}

static void token(void)
{
	void *function = mgpu.mgpuModuleGetFunction(own.module, "count");
	void *stream = mgpu.mgpuStreamCreate();
	void *event;

	launch(function, stream);
	event = mgpu.mgpuEventCreate();
	mgpu.mgpuEventRecord(event, stream);
	mgpu.mgpuStreamDestroy(stream);
	mgpu.mgpuEventSynchronize(event);
	mgpu.mgpuEventDestroy(event);
}

static void alloc_small(void)
{
	mgpu.mgpuMemFree(mgpu.mgpuMemAlloc(SMALL, own.stream, false), own.stream);
}

static void alloc_large(void)
{
	mgpu.mgpuMemFree(mgpu.mgpuMemAlloc(LARGE, own.stream, false), own.stream);
}

static void load_unload(void)
{
	mgpu.mgpuModuleUnload(mgpu.mgpuModuleLoad(work.image, work.image_size));
}

static void finish(void)
{
	mgpu.mgpuStreamSynchronize(own.stream);
}

const struct way_calls calls_mgpu = {
	.set_up = set_up,
	.operations = {
		[ENQUEUE] = enqueue,
		[LAUNCH_SYNC] = launch_sync,
		[LAUNCH_FUNC] = launch_func,
		[ASYNC_TOKEN] = token,
		[ALLOC_SMALL] = alloc_small,
		[ALLOC_LARGE] = alloc_large,
		[LOAD] = load_unload,
	},
	.finish = finish,
};
