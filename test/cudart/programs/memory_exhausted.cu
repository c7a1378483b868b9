// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory that is not there: an error, and everything works on after it.
#include "check.h"

__global__ void set(char *data, size_t n) { data[n - 1] = 7; }

int main()
{
	size_t free_bytes, total;
	char *large, *small, value;
	int *host;

	CHECK(cudaMemGetInfo(&free_bytes, &total));
	GIVES(cudaErrorMemoryAllocation, cudaMalloc(&large, 2 * total));
	GIVES(cudaErrorMemoryAllocation, cudaMallocAsync(&large, 2 * total, 0));
	GIVES(cudaErrorMemoryAllocation, cudaMallocManaged(&large, (size_t)1 << 60));
	EXPECT(cudaMallocHost(&host, (size_t)1 << 60) != cudaSuccess);
	cudaGetLastError();
	CHECK(cudaMalloc(&small, 1 << 20));
	set<<<1, 1>>>(small, 1 << 20);
	CHECK(cudaMemcpy(&value, small + (1 << 20) - 1, 1, cudaMemcpyDeviceToHost));
	SAME(7, value);
	CHECK(cudaFree(small));
	SAME(cudaSuccess, cudaGetLastError());
	return ok();
}
