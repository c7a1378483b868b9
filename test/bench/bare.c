/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The reference of the process-time comparison: what a program on the bare
 * driver API needs to load an image, launch a kernel without arguments, wait
 * and end. It makes no call that gpurun avoids.
 *
 *	bare IMAGE KERNEL
 *
 * Opens $GPURUN_DRIVER, or libcuda.so.1.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "cuda_abi.h"

static struct {
#define CUDA_API(name, symbol, need, params, args) CUresult (*name) params;
#include "cuda_api.def"
} cu;

static void open_driver(void)
{
	const char *path = getenv("GPURUN_DRIVER");
	void *dl = dlopen(path ? path : "libcuda.so.1", RTLD_NOW | RTLD_LOCAL);

	if (!dl) {
		fprintf(stderr, "bare: %s\n", dlerror());
		exit(1);
	}
#define CUDA_API(name, symbol, need, params, args) cu.name = dlsym(dl, symbol);
#include "cuda_api.def"
}

static void try(CUresult result, const char *call)
{
	if (!result)
		return;
	fprintf(stderr, "bare: %s: %d\n", call, result);
	exit(1);
}
#define TRY(call) try(cu.call, #call)

static char *read_file(const char *path)
{
	enum { LIMIT = 1 << 20 };
	FILE *file = fopen(path, "rb");
	char *data = calloc(1, LIMIT + 1);

	if (!file || !data || !fread(data, 1, LIMIT, file)) {
		fprintf(stderr, "bare: cannot read %s\n", path);
		exit(1);
	}
	fclose(file);
	return data;
}

int main(int argc, char **argv)
{
	CUdevice device;
	CUcontext context;
	CUmodule module;
	CUfunction function;
	CUstream stream;
	char *image;

	if (argc != 3)
		return 2;
	image = read_file(argv[1]);
	open_driver();
	TRY(cuInit(0));
	TRY(cuDeviceGet(&device, 0));
	TRY(cuDevicePrimaryCtxRetain(&context, device));
	TRY(cuCtxSetCurrent(context));
	TRY(cuModuleLoadData(&module, image));
	TRY(cuModuleGetFunction(&function, module, argv[2]));
	TRY(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	TRY(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, NULL, NULL));
	TRY(cuStreamSynchronize(stream));
	TRY(cuStreamDestroy(stream));
	TRY(cuModuleUnload(module));
	TRY(cuDevicePrimaryCtxRelease(device));
	free(image);
	return 0;
}
