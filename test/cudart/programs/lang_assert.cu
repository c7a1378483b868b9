// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// assert() of a kernel: 710, which stays until the device is reset.
//: finds faults
#include <assert.h>

#include "check.h"

__global__ void check(int n) { assert(n > 3); }

int main()
{
	void *memory;

	check<<<1, 1>>>(4);
	CHECK(cudaDeviceSynchronize());
	check<<<1, 1>>>(3);
	GIVES(cudaErrorAssert, cudaDeviceSynchronize());
	GIVES(cudaErrorAssert, cudaGetLastError());
	GIVES(cudaErrorAssert, cudaMalloc(&memory, 4));
	CHECK(cudaDeviceReset());
	CHECK(cudaMalloc(&memory, 4));
	CHECK(cudaFree(memory));
	return ok();
}
