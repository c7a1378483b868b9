/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A program as its author writes it: it knows cuda.h and libcuda.so, and nothing
 * of gpurun. Adds numbers on a stream, copies a box, and asks for an entry point.
 */
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>

#define OK(call)                                                                  \
	do {                                                                      \
		CUresult result_ = (call);                                        \
                                                                                  \
		if (result_) {                                                    \
			printf("not ok - %s: %d\n", #call, (int)result_);         \
			exit(1);                                                  \
		}                                                                 \
	} while (0)

static const char ptx[] =
	".version 7.0\n.target sm_52\n.address_size 64\n"
	".visible .entry add(.param .u64 p, .param .u32 k)\n"
	"{\n"
	"	.reg .b32 %r<4>;\n"
	"	.reg .b64 %rd<4>;\n"
	"	ld.param.u64 %rd1, [p];\n"
	"	ld.param.u32 %r1, [k];\n"
	"	mov.u32 %r2, %tid.x;\n"
	"	mul.wide.u32 %rd2, %r2, 4;\n"
	"	add.s64 %rd3, %rd1, %rd2;\n"
	"	ld.global.u32 %r3, [%rd3];\n"
	"	add.u32 %r3, %r3, %r1;\n"
	"	st.global.u32 [%rd3], %r3;\n"
	"	ret;\n"
	"}\n";

static void copy_box(CUdeviceptr device, unsigned *out)
{
	CUDA_MEMCPY2D copy = { 0 };

	copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
	copy.srcDevice = device;
	copy.srcPitch = 16;
	copy.srcXInBytes = 4;
	copy.dstMemoryType = CU_MEMORYTYPE_HOST;
	copy.dstHost = out;
	copy.dstPitch = 8;
	copy.WidthInBytes = 8;
	copy.Height = 4;
	OK(cuMemcpy2D(&copy));
}

int main(void)
{
	unsigned numbers[16], box[8], k = 100;
	CUdeviceptr device;
	void *params[] = { &device, &k }, *entry = NULL;
	CUdriverProcAddressQueryResult status;
	CUcontext context;
	CUlibrary library;
	CUkernel kernel;
	CUdevice dev;

	OK(cuInit(0));
	OK(cuDeviceGet(&dev, 0));
	OK(cuDevicePrimaryCtxRetain(&context, dev));
	OK(cuCtxSetCurrent(context));
	OK(cuLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0));
	OK(cuLibraryGetKernel(&kernel, library, "add"));
	OK(cuMemAllocAsync(&device, sizeof(numbers), 0));
	for (unsigned i = 0; i < 16; i++)
		numbers[i] = i;
	OK(cuMemcpyHtoDAsync(device, numbers, sizeof(numbers), 0));
	OK(cuLaunchKernel((CUfunction)kernel, 1, 1, 1, 16, 1, 1, 0, 0, params, NULL));
	OK(cuStreamSynchronize(0));
	copy_box(device, box);
	OK(cuMemFreeAsync(device, 0));
	OK(cuGetProcAddress("cuMemAlloc", &entry, 12000, CU_GET_PROC_ADDRESS_DEFAULT, &status));
	OK(cuLibraryUnload(library));
	OK(cuDevicePrimaryCtxRelease(dev));
	for (unsigned i = 0; i < 8; i++)
		if (box[i] != 100 + i / 2 * 4 + 1 + i % 2)
			return printf("not ok - number %u is %u\n", i, box[i]), 1;
	printf("%s - a program written against cuda.h\n", entry ? "ok" : "not ok");
	return !entry;
}
