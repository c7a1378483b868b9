/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Is linked with -lcuda, without a path that says where that is. */
#include "saxpy.h"

int cuInit(unsigned flags);
int cuDeviceGet(int *device, int ordinal);
int cuDeviceGetName(char *name, int size, int device);
int cuDevicePrimaryCtxRetain(void **context, int device);
int cuCtxSetCurrent(void *context);
int cuModuleLoadData(void **module, const void *image);
int cuModuleGetFunction(void **function, void *module, const char *name);
int cuModuleUnload(void *module);
int cuMemAlloc_v2(unsigned long long *address, size_t size);
int cuMemFree_v2(unsigned long long address);
int cuMemcpyHtoD_v2(unsigned long long to, const void *from, size_t size);
int cuMemcpyDtoH_v2(void *to, unsigned long long from, size_t size);
int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
		   unsigned by, unsigned bz, unsigned shared, void *stream, void **args,
		   void **extra);
int cuCtxSynchronize(void);

int main(int argc, char **argv)
{
	const struct driver driver = {
		cuInit,		  cuDeviceGet,	       cuDeviceGetName,
		cuDevicePrimaryCtxRetain, cuCtxSetCurrent, cuModuleLoadData,
		cuModuleGetFunction, cuModuleUnload,   cuMemAlloc_v2,
		cuMemFree_v2,	  cuMemcpyHtoD_v2,     cuMemcpyDtoH_v2,
		cuLaunchKernel,	  cuCtxSynchronize,
	};

	return run_saxpy(&driver, argc > 1 ? argv[1] : NULL);
}
