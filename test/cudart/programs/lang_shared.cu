// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shared memory: static, dynamic, more than 48 KiB, and several arrays in it.
#include "check.h"

__global__ void reverse(int *data)
{
	extern __shared__ int words[];
	__shared__ int last;
	int i = threadIdx.x;

	words[i] = data[i];
	if (i == blockDim.x - 1)
		last = words[i];
	__syncthreads();
	data[i] = words[blockDim.x - 1 - i] + last;
}

int main()
{
	int first[256], *data;
	const int large = 64 << 10;

	for (int i = 0; i < 256; i++)
		first[i] = i;
	CHECK(cudaMalloc(&data, sizeof(first)));
	CHECK(cudaMemcpy(data, first, sizeof(first), cudaMemcpyHostToDevice));
	reverse<<<1, 256, 256 * sizeof(int)>>>(data);
	CHECK(cudaGetLastError());
	int *got = fetched(data, 256);
	for (int i = 0; i < 256; i++)
		SAME(255 - i + 255, got[i]);
	reverse<<<1, 256, large>>>(data);
	GIVES(cudaErrorInvalidValue, cudaGetLastError());
	CHECK(cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, large));
	reverse<<<1, 256, large>>>(data);
	CHECK(cudaGetLastError());
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaFree(data));
	return ok();
}
