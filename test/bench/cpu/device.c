/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "device.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void try(const struct device *device, CUresult result, const char *call)
{
	char what[256];

	if (!result)
		return;
	snprintf(what, sizeof(what), "error %d of %s", (int)result, call);
	work_fail(device->name, what);
}
#define TRY(call) try(device, device->cu.call, #call)

void device_open(struct device *device, const char *name, const char *path, const char *keys)
{
	void *dl = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	char why[1024] = "";

	*device = (struct device){ .name = name };
	if (!dl)
		work_fail(name, dlerror());
#define CUDA_API(name, symbol, need, params, args) device->cu.name = dlsym(dl, symbol);
#include "cuda_api.def"
	if (!device->cu.cuInit || !device->cu.cuLaunchKernel) {
		fprintf(stderr, "%s: %s is no CUDA driver: it lacks cuInit\n", name, path);
		exit(1);
	}
	if (keys && (!device->cu.gpurunCpuConfigure ||
		     device->cu.gpurunCpuConfigure(keys, why, sizeof(why))))
		work_fail(name, *why ? why : "it takes no keys");
	TRY(cuInit(0));
	TRY(cuDevicePrimaryCtxRetain(&device->context, 0));
	TRY(cuCtxSetCurrent(device->context));
}

void device_load(struct device *device, const char *ptx)
{
	char *text = work_read(device->name, ptx);

	TRY(cuModuleLoadData(&device->module, text));
	free(text);
	TRY(cuStreamCreate(&device->stream, CU_STREAM_NON_BLOCKING));
}

void device_require_cpu(const struct device *device, const char *path)
{
	static const char cpu[] = "gpurun CPU device";
	char name[128] = "", what[1024];

	TRY(cuDeviceGetName(name, sizeof(name), 0));
	if (!strcmp(name, cpu))
		return;
	snprintf(what, sizeof(what), "%s: the device is \"%s\", expected \"%s\"; name the "
		 "libcuda.so.1 of a build, in lib/gpurun/cpu/", path, name, cpu);
	work_fail(device->name, what);
}

void *device_buffer(struct device *device, const void *data, uint32_t words)
{
	CUdeviceptr address;

	TRY(cuCtxSetCurrent(device->context));
	TRY(cuMemAlloc(&address, words * 4ull));
	TRY(cuMemcpyHtoD(address, data, words * 4ull));
	return (void *)address;
}

void device_drop(struct device *device, const struct work *work, void *const buffers[])
{
	TRY(cuCtxSetCurrent(device->context));
	for (unsigned b = 0; b < work->buffer_count; b++)
		TRY(cuMemFree((CUdeviceptr)buffers[b]));
}

void device_read(struct device *device, void *from, void *data, uint32_t words)
{
	TRY(cuMemcpyDtoH(data, (CUdeviceptr)from, words * 4ull));
}

void device_prepare(struct device *device, const struct work *work, void *const buffers[])
{
	unsigned count = 0;

	TRY(cuCtxSetCurrent(device->context));
	TRY(cuModuleGetFunction(&device->function, device->module, work->kernel));
	for (unsigned i = 0; i < work->scalar_count; i++)
		device->arguments[count++] = (void *)&work->scalars[i];
	for (unsigned i = 0; i < work->buffer_count; i++) {
		device->addresses[i] = (CUdeviceptr)buffers[i];
		device->arguments[count++] = &device->addresses[i];
	}
}

void device_launch(struct device *device, const struct work *work)
{
	TRY(cuLaunchKernel(device->function, work->grid[0], work->grid[1], 1, work->block[0],
			   work->block[1], 1, 0, device->stream, device->arguments, NULL));
}

void device_wait(struct device *device)
{
	TRY(cuStreamSynchronize(device->stream));
}

void device_close(struct device *device)
{
	TRY(cuStreamDestroy(device->stream));
	TRY(cuModuleUnload(device->module));
	TRY(cuDevicePrimaryCtxRelease(0));
}
