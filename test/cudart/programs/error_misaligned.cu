// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel that faults: the error comes back from every call.
//: finds faults
#include "lost.h"

__global__ void fault(int *data) { *(volatile int *)((char *)data + 1) = 1; }
__global__ void fine(int *data) { *data = 7; }

int main()
{
	int *data, value = 0;
	cudaEvent_t event;

	CHECK(cudaMalloc(&data, 64));
	fault<<<1, 1>>>(data);
	CHECK(cudaGetLastError());
	GIVES(cudaErrorMisalignedAddress, cudaDeviceSynchronize());
	GIVES(cudaErrorMisalignedAddress, cudaMemcpy(&value, data, 4, cudaMemcpyDeviceToHost));
	GIVES(cudaErrorMisalignedAddress, cudaEventCreate(&event));
	fine<<<1, 1>>>(data);
	GIVES(cudaErrorMisalignedAddress, cudaPeekAtLastError());
	REVIVE();
	CHECK(cudaMalloc(&data, 64));
	fine<<<1, 1>>>(data);
	CHECK(cudaMemcpy(&value, data, 4, cudaMemcpyDeviceToHost));
	SAME(7, value);
	CHECK(cudaFree(data));
	return ok();
}
