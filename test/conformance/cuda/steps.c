/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Launches in steps, as before CUDA 4, and cooperative ones on a list of devices. */
#include "cuda_kernels.h"

#define COUNT 256
#define SIZE  (COUNT * sizeof(float))

struct vectors {
	CUdeviceptr a, b, c;
	unsigned n;
};

static CUmodule module;

static struct vectors vectors_new(void)
{
	struct vectors v = { .n = COUNT };

	OK_CU(cu.cuMemAlloc(&v.a, SIZE));
	OK_CU(cu.cuMemAlloc(&v.b, SIZE));
	OK_CU(cu.cuMemAlloc(&v.c, SIZE));
	OK_CU(cu.cuMemsetD32(v.a, 0x3f800000, COUNT)); /* 1 */
	OK_CU(cu.cuMemsetD32(v.b, 0x40000000, COUNT)); /* 2 */
	OK_CU(cu.cuMemsetD32(v.c, 0, COUNT));
	return v;
}

static void vectors_free(const struct vectors *v)
{
	OK_CU(cu.cuMemFree(v->a));
	OK_CU(cu.cuMemFree(v->b));
	OK_CU(cu.cuMemFree(v->c));
}

/* How many of the sums are there. */
static int sums(const struct vectors *v)
{
	float values[COUNT] = { 0 };
	int found = 0;

	OK_CU(cu.cuMemcpyDtoH(values, v->c, SIZE));
	for (int i = 0; i < COUNT; i++)
		found += values[i] == 3;
	return found;
}

static void set(CUfunction vadd, struct vectors *v)
{
	OK_CU(cu.cuFuncSetBlockShape(vadd, 32, 1, 1));
	OK_CU(cu.cuFuncSetSharedSize(vadd, 0));
	OK_CU(cu.cuParamSetv(vadd, 0, &v->a, 8));
	OK_CU(cu.cuParamSetv(vadd, 8, &v->b, 8));
	OK_CU(cu.cuParamSetv(vadd, 16, &v->c, 8));
	OK_CU(cu.cuParamSeti(vadd, 24, v->n));
	OK_CU(cu.cuParamSetSize(vadd, 28));
}

/* What was set stays for the launches that follow. */
static void test_grids(void)
{
	CUfunction vadd = cuda_function(module, "vadd");
	struct vectors v = vectors_new();
	CUstream stream;

	set(vadd, &v);
	OK_CU(cu.cuLaunch(vadd));
	OK_CU(cu.cuCtxSynchronize());
	CHECK_INT(sums(&v), 32);
	OK_CU(cu.cuMemsetD32(v.c, 0, COUNT));
	OK_CU(cu.cuLaunchGrid(vadd, 2, 1));
	OK_CU(cu.cuCtxSynchronize());
	CHECK_INT(sums(&v), 64);
	OK_CU(cu.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	OK_CU(cu.cuLaunchGridAsync(vadd, COUNT / 32, 2, stream));
	OK_CU(cu.cuStreamSynchronize(stream));
	CHECK_INT(sums(&v), COUNT);
	OK_CU(cu.cuStreamDestroy(stream));
	vectors_free(&v);
}

/* An argument is taken when it is set, not when the kernel is launched. */
static void test_arguments(void)
{
	CUfunction store = cuda_function(module, "store");
	CUdeviceptr address;
	float value = 0;

	OK_CU(cu.cuMemAlloc(&address, sizeof(value)));
	OK_CU(cu.cuFuncSetBlockShape(store, 1, 1, 1));
	OK_CU(cu.cuParamSetv(store, 0, &address, 8));
	OK_CU(cu.cuParamSetf(store, 8, 2.5f));
	OK_CU(cu.cuParamSetSize(store, 12));
	OK_CU(cu.cuLaunch(store));
	OK_CU(cu.cuParamSetf(store, 8, 7));
	OK_CU(cu.cuMemcpyDtoH(&value, address, sizeof(value)));
	CHECK(value == 2.5f);
	OK_CU(cu.cuLaunch(store));
	OK_CU(cu.cuMemcpyDtoH(&value, address, sizeof(value)));
	CHECK(value == 7);
	OK_CU(cu.cuMemFree(address));
}

/* Too much of anything, and launches of what is not set. A GPU's driver may take some of them. */
static void test_limits(void)
{
	CUfunction last = cuda_function(module, "last"), vadd = cuda_function(module, "vadd");
	static char room[8192];

	if (!cu.gpurunCpuReport)
		return;
	CHECK_CU(cu.cuLaunch(last), CUDA_ERROR_INVALID_VALUE); /* no block */
	OK_CU(cu.cuFuncSetBlockShape(last, 1, 1, 1));
	CHECK_CU(cu.cuLaunch(last), CUDA_ERROR_INVALID_VALUE); /* no arguments */
	CHECK_CU(cu.cuFuncSetBlockShape(vadd, 1025, 1, 1), CUDA_ERROR_INVALID_VALUE);
	CHECK_CU(cu.cuFuncSetBlockShape(vadd, 1024, 2, 1), CUDA_ERROR_INVALID_VALUE);
	CHECK_CU(cu.cuFuncSetBlockShape(vadd, 0, 1, 1), CUDA_ERROR_INVALID_VALUE);
	CHECK_CU(cu.cuFuncSetBlockShape(vadd, 1, -1, 1), CUDA_ERROR_INVALID_VALUE);
	CHECK_CU(cu.cuParamSetSize(vadd, 4097), CUDA_ERROR_INVALID_VALUE);
	CHECK_CU(cu.cuParamSeti(vadd, -4, 1), CUDA_ERROR_INVALID_VALUE);
	CHECK_CU(cu.cuParamSeti(vadd, 4093, 1), CUDA_ERROR_INVALID_VALUE);
	CHECK_CU(cu.cuParamSetf(vadd, 2147483647, 1), CUDA_ERROR_INVALID_VALUE);
	CHECK_CU(cu.cuParamSetv(vadd, 0, room, sizeof(room)), CUDA_ERROR_INVALID_VALUE);
	CHECK_CU(cu.cuParamSetv(vadd, 8, room, 4294967292u), CUDA_ERROR_INVALID_VALUE);
	CHECK_CU(cu.cuLaunchGrid(vadd, 0, 1), CUDA_ERROR_INVALID_VALUE);
	CHECK_CU(cu.cuLaunchGrid(vadd, 1, -1), CUDA_ERROR_INVALID_VALUE);
	CHECK_CU(cu.cuLaunchGrid(vadd, 1, 65536), CUDA_ERROR_INVALID_VALUE);
}

/* All blocks run at once: each waits for the last one. */
static void test_devices(void)
{
	CUDA_LAUNCH_PARAMS launch = { cuda_function(module, "last"), 2, 1, 1, 1, 1, 1, 0, NULL,
				      NULL };
	CUdeviceptr address;
	void *params[] = { &address };
	unsigned value = 0;

	OK_CU(cu.cuMemAlloc(&address, 4));
	OK_CU(cu.cuMemsetD32(address, 0, 1));
	OK_CU(cu.cuCtxSynchronize());
	OK_CU(cu.cuStreamCreate(&launch.hStream, CU_STREAM_NON_BLOCKING));
	launch.kernelParams = params;
	OK_CU(cu.cuLaunchCooperativeKernelMultiDevice(&launch, 1, 3));
	OK_CU(cu.cuStreamSynchronize(launch.hStream));
	OK_CU(cu.cuMemcpyDtoH(&value, address, 4));
	CHECK_INT(value, 2);
	OK_CU(cu.cuStreamDestroy(launch.hStream));
	OK_CU(cu.cuMemFree(address));
}

int main(void)
{
	cuda_start();
	module = cuda_kernels();
	RUN(test_grids);
	RUN(test_arguments);
	RUN(test_limits);
	RUN(test_devices);
	OK_CU(cu.cuModuleUnload(module));
	return tap_end();
}
