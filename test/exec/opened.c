/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Opens libcuda.so.1 when it runs. */
#include "saxpy.h"

#include <dlfcn.h>
#include <string.h>

static void find(void *library, const char *name, void *slot)
{
	void *function = dlsym(library, name);

	check(!function, name);
	memcpy(slot, &function, sizeof(function));
}

int main(int argc, char **argv)
{
	void *library = dlopen("libcuda.so.1", RTLD_NOW);
	struct driver driver;

	check(!library, "dlopen of libcuda.so.1");
	find(library, "cuInit", &driver.init);
	find(library, "cuDeviceGet", &driver.device_get);
	find(library, "cuDeviceGetName", &driver.device_name);
	find(library, "cuDevicePrimaryCtxRetain", &driver.retain);
	find(library, "cuCtxSetCurrent", &driver.set_current);
	find(library, "cuModuleLoadData", &driver.load);
	find(library, "cuModuleGetFunction", &driver.get_function);
	find(library, "cuModuleUnload", &driver.unload);
	find(library, "cuMemAlloc_v2", &driver.alloc);
	find(library, "cuMemFree_v2", &driver.free);
	find(library, "cuMemcpyHtoD_v2", &driver.to_device);
	find(library, "cuMemcpyDtoH_v2", &driver.to_host);
	find(library, "cuLaunchKernel", &driver.launch);
	find(library, "cuCtxSynchronize", &driver.synchronize);
	return run_saxpy(&driver, argc > 1 ? argv[1] : NULL);
}
