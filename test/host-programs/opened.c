/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Opens libcuda.so.1 when it runs. */
#include "saxpy.h"

#include <string.h>

static void look_up(const char *name, void *slot)
{
	void *function = find(name);

	memcpy(slot, &function, sizeof(function));
}

int main(int argc, char **argv)
{
	struct driver driver;

	look_up("cuInit", &driver.init);
	look_up("cuDeviceGet", &driver.device_get);
	look_up("cuDeviceGetName", &driver.device_name);
	look_up("cuDevicePrimaryCtxRetain", &driver.retain);
	look_up("cuCtxSetCurrent", &driver.set_current);
	look_up("cuModuleLoadData", &driver.load);
	look_up("cuModuleGetFunction", &driver.get_function);
	look_up("cuModuleUnload", &driver.unload);
	look_up("cuMemAlloc_v2", &driver.alloc);
	look_up("cuMemFree_v2", &driver.free);
	look_up("cuMemcpyHtoD_v2", &driver.to_device);
	look_up("cuMemcpyDtoH_v2", &driver.to_host);
	look_up("cuLaunchKernel", &driver.launch);
	look_up("cuCtxSynchronize", &driver.synchronize);
	return run_saxpy(&driver, argc > 1 ? argv[1] : NULL);
}
