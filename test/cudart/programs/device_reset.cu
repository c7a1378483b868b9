// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cudaDeviceReset: memory, variables and errors begin anew; streams of before are gone.
//: finds faults
#include "lost.h"

__device__ int counter = 5;

__global__ void count(int *out) { *out = counter++; }
__global__ void fault() { *(volatile int *)8 = 1; }

int main()
{
	int *data;

	for (int round = 0; round < 3; round++) {
		CHECK(cudaMalloc(&data, sizeof(int)));
		count<<<1, 1>>>(data);
		SAME(5, fetched(data, 1)[0]);
		count<<<1, 1>>>(data);
		SAME(6, fetched(data, 1)[0]);
		if (round == 1) {
			fault<<<1, 1>>>();
			GIVES(cudaErrorIllegalAddress, cudaDeviceSynchronize());
			GIVES(cudaErrorIllegalAddress, cudaFree(data));
			GIVES(cudaErrorIllegalAddress, cudaGetLastError());
		}
		REVIVE();
		SAME(cudaSuccess, cudaGetLastError());
	}
	return ok();
}
