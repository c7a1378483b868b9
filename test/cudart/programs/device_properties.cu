// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the device is: properties, attributes, limits, and devices that are not there.
#include <string.h>

#include "check.h"

int main()
{
	cudaDeviceProp prop;
	int count, device = -1, value, driver, runtime;
	char bus[32];
	size_t limit;

	CHECK(cudaGetDeviceCount(&count));
	EXPECT(count >= 1);
	CHECK(cudaGetDevice(&device));
	SAME(0, device);
	CHECK(cudaGetDeviceProperties(&prop, 0));
	EXPECT(prop.name[0] && prop.warpSize == 32 && prop.maxThreadsPerBlock == 1024);
	EXPECT(prop.totalGlobalMem > 0 && prop.multiProcessorCount > 0 && prop.regsPerBlock == 65536);
	EXPECT(prop.maxGridSize[0] == 2147483647 && prop.maxThreadsDim[2] == 64);
	CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrMaxThreadsPerBlock, 0));
	SAME(prop.maxThreadsPerBlock, value);
	CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrComputeCapabilityMajor, 0));
	SAME(prop.major, value);
	CHECK(cudaDeviceGetPCIBusId(bus, sizeof(bus), 0));
	CHECK(cudaDeviceGetByPCIBusId(&value, bus));
	SAME(0, value);
	CHECK(cudaDriverGetVersion(&driver));
	CHECK(cudaRuntimeGetVersion(&runtime));
	EXPECT(driver >= 13000 && runtime == 13000);
	CHECK(cudaDeviceGetLimit(&limit, cudaLimitPrintfFifoSize));
	EXPECT(limit > 0);
	GIVES(cudaErrorInvalidDevice, cudaSetDevice(count));
	GIVES(cudaErrorInvalidDevice, cudaSetDevice(-1));
	GIVES(cudaErrorInvalidDevice, cudaGetDeviceProperties(&prop, count));
	GIVES(cudaErrorInvalidValue, cudaDeviceGetAttribute(&value, (cudaDeviceAttr)9999, 0));
	GIVES(cudaErrorInvalidDevice, cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, count));
	CHECK(cudaSetDevice(0));
	CHECK(cudaChooseDevice(&device, &prop));
	return ok();
}
