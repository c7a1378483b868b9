/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The driver under test, for conformance programs that know only the CUDA
 * driver ABI: cuda_open() opens $GPURUN_DRIVER (libcuda.so.1 without it) and
 * fills @cu; a call is then cu.cuInit(0). A function the driver does not have
 * is NULL. One primary context is made current by cuda_start().
 */
#ifndef CONFORMANCE_CUDA_H
#define CONFORMANCE_CUDA_H

#include <dlfcn.h>

#include "cuda_abi.h"
#include "tap.h"

static struct {
#define CUDA_API(name, symbol, need, params, args) CUresult (*name) params;
#include "cuda_api.def"
} cu TAP_UNUSED;

#define CHECK_CU(call, want) CHECK_INT(call, want)
#define OK_CU(call) CHECK_INT(call, CUDA_SUCCESS)

/* Opens the driver; exits with a failure when there is none. */
TAP_UNUSED static void cuda_open(void)
{
	const char *path = getenv("GPURUN_DRIVER");
	void *dl = dlopen(path && *path ? path : "libcuda.so.1", RTLD_NOW | RTLD_LOCAL);

	if (!dl) {
		printf("not ok - %s\n", dlerror());
		exit(1);
	}
#define CUDA_API(name, symbol, need, params, args) cu.name = dlsym(dl, symbol);
#include "cuda_api.def"
}

/* Opens the driver, initialises it and makes device 0's primary context current. */
TAP_UNUSED static CUdevice cuda_start(void)
{
	CUcontext context;
	CUdevice device = 0;

	cuda_open();
	if (cu.cuInit(0) || cu.cuDeviceGet(&device, 0) ||
	    cu.cuDevicePrimaryCtxRetain(&context, device) || cu.cuCtxSetCurrent(context)) {
		printf("not ok - the driver does not start\n");
		exit(1);
	}
	return device;
}

#endif
