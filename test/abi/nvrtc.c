/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A program in the manner of NVIDIA's samples: NVRTC makes PTX of a kernel's source, a
 * context is created as the driver samples of CUDA 13 create it, the kernel adds two
 * vectors. NVRTC looks for libcuda.so.1 itself.
 */
#include <cuda.h>
#include <nvrtc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT 1000
#define FAIL(...) (printf("not ok - " __VA_ARGS__), exit(1))
#define CU(call) check(#call, (int)(call))
#define RTC(call) check(#call, (int)(call))

static const char source[] =
	"extern \"C\" __global__ void add(const float *a, const float *b, float *c, int n)\n"
	"{\n"
	"	int i = blockDim.x * blockIdx.x + threadIdx.x;\n"
	"	if (i < n)\n"
	"		c[i] = a[i] + b[i];\n"
	"}\n";

static void check(const char *call, int result)
{
	if (result)
		FAIL("%s: %d\n", call, result);
}

static char *compile(void)
{
	const char *options[] = { "--gpu-architecture=compute_75" };
	nvrtcProgram program;
	size_t size;
	char *ptx;

	RTC(nvrtcCreateProgram(&program, source, "add.cu", 0, NULL, NULL));
	RTC(nvrtcCompileProgram(program, 1, options));
	RTC(nvrtcGetPTXSize(program, &size));
	ptx = malloc(size);
	if (!ptx)
		FAIL("out of memory\n");
	RTC(nvrtcGetPTX(program, ptx));
	RTC(nvrtcDestroyProgram(&program));
	return ptx;
}

static CUdeviceptr upload(const float *numbers)
{
	CUdeviceptr device;

	CU(cuMemAlloc(&device, COUNT * sizeof(float)));
	CU(cuMemcpyHtoD(device, numbers, COUNT * sizeof(float)));
	return device;
}

/* Leaves the sum in @c. */
static void add(const char *ptx, const float *a, const float *b, float *c)
{
	CUdeviceptr device_a, device_b, device_c;
	CUctxCreateParams create = { 0 };
	CUcontext context;
	CUfunction function;
	CUmodule module;
	CUdevice device;
	int n = COUNT;
	void *params[] = { &device_a, &device_b, &device_c, &n };

	CU(cuInit(0));
	CU(cuDeviceGet(&device, 0));
	CU(cuCtxCreate(&context, &create, 0, device));
	CU(cuModuleLoadData(&module, ptx));
	CU(cuModuleGetFunction(&function, module, "add"));
	device_a = upload(a);
	device_b = upload(b);
	device_c = upload(c);
	CU(cuLaunchKernel(function, (COUNT + 255) / 256, 1, 1, 256, 1, 1, 0, NULL, params, NULL));
	CU(cuCtxSynchronize());
	CU(cuMemcpyDtoH(c, device_c, COUNT * sizeof(float)));
	CU(cuModuleUnload(module));
	CU(cuCtxDestroy(context));
}

int main(void)
{
	static float a[COUNT], b[COUNT], c[COUNT];
	char *ptx = compile();

	for (int i = 0; i < COUNT; i++) {
		a[i] = (float)i;
		b[i] = (float)(2 * i) + 0.5f;
	}
	add(ptx, a, b, c);
	free(ptx);
	for (int i = 0; i < COUNT; i++)
		if (c[i] != a[i] + b[i])
			FAIL("number %d is %g, not %g\n", i, c[i], a[i] + b[i]);
	printf("ok - a program that compiles its kernel by NVRTC\n");
	return 0;
}
