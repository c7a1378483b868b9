/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The side of the CPU device: driver KERNELS.ptx. A program of the CUDA driver
 * API; opens $GPURUN_DRIVER.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "cuda_abi.h"
#include "work.h"

static struct {
#define CUDA_API(name, symbol, need, params, args) CUresult (*name) params;
#include "cuda_api.def"
} cu;

static CUmodule module;
static CUstream stream;
static CUfunction function;
static CUdeviceptr addresses[MOST_BUFFERS];
static void *arguments[2 + MOST_BUFFERS];

static void try(CUresult result, const char *call)
{
	if (result)
		work_fail("driver", call);
}
#define TRY(call) try(cu.call, #call)

static void *buffer(const void *data, uint32_t words)
{
	CUdeviceptr address;

	TRY(cuMemAlloc(&address, words * 4ull));
	TRY(cuMemcpyHtoD(address, data, words * 4ull));
	return (void *)address;
}

static void read_back(void *from, void *data, uint32_t words)
{
	TRY(cuMemcpyDtoH(data, (CUdeviceptr)from, words * 4ull));
}

static void prepare(const struct work *work, void *buffers[])
{
	unsigned count = 0;

	TRY(cuModuleGetFunction(&function, module, work->kernel));
	for (unsigned i = 0; i < work->scalar_count; i++)
		arguments[count++] = (void *)&work->scalars[i];
	for (unsigned i = 0; i < work->buffer_count; i++) {
		addresses[i] = (CUdeviceptr)buffers[i];
		arguments[count++] = &addresses[i];
	}
}

static void launch(const struct work *work)
{
	TRY(cuLaunchKernel(function, work->grid[0], work->grid[1], 1, work->block[0],
			   work->block[1], 1, 0, stream, arguments, NULL));
}

static void wait_all(void)
{
	TRY(cuStreamSynchronize(stream));
}

int main(int argc, char **argv)
{
	static const struct side side = { "driver", buffer, read_back, prepare, launch, wait_all };
	const char *path = getenv("GPURUN_DRIVER");
	void *dl = dlopen(path ? path : "libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
	CUcontext context;
	CUdevice device;
	char *text;
	int status;

	if (argc != 2 || !dl)
		work_fail("driver", dl ? "driver KERNELS.ptx" : dlerror());
#define CUDA_API(name, symbol, need, params, args) cu.name = dlsym(dl, symbol);
#include "cuda_api.def"
	text = work_read("driver", argv[1]);
	TRY(cuInit(0));
	TRY(cuDeviceGet(&device, 0));
	TRY(cuDevicePrimaryCtxRetain(&context, device));
	TRY(cuCtxSetCurrent(context));
	TRY(cuModuleLoadData(&module, text));
	TRY(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	free(text);
	status = work_serve(&side);
	TRY(cuStreamDestroy(stream));
	TRY(cuModuleUnload(module));
	TRY(cuDevicePrimaryCtxRelease(device));
	return status;
}
