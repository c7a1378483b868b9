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
#include "driver.h"

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
