// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Flags of a device, before and after it is used, and cudaInitDevice.
#include "check.h"

int main()
{
	unsigned flags;

	CHECK(cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync));
	CHECK(cudaInitDevice(0, 0, 0));
	CHECK(cudaGetDeviceFlags(&flags));
	SAME(cudaDeviceScheduleBlockingSync, flags & cudaDeviceScheduleMask);
	CHECK(cudaFree(0));
	CHECK(cudaGetDeviceFlags(&flags));
	SAME(cudaDeviceScheduleBlockingSync, flags & cudaDeviceScheduleMask);
	EXPECT(flags & cudaDeviceMapHost);
	GIVES(cudaErrorInvalidValue, cudaSetDeviceFlags(1 << 20));
	GIVES(cudaErrorInvalidDevice, cudaInitDevice(99, 0, 0));
	int valid[] = { 0 };
	CHECK(cudaSetValidDevices(valid, 1));
	return ok();
}
