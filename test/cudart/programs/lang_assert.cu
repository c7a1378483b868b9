// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// assert() of a kernel: 710, which comes back from every call.
//: finds faults
#include <assert.h>

#include "lost.h"

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
	REVIVE();
	CHECK(cudaMalloc(&memory, 4));
	CHECK(cudaFree(memory));
	return ok();
}
