// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// counts[v] += how often v occurs in data: atomics in shared, then in global memory.
extern "C" __global__ void histogram(const unsigned char *data, int n, unsigned *counts)
{
	__shared__ unsigned local[256];

	for (int i = threadIdx.x; i < 256; i += blockDim.x)
		local[i] = 0;
	__syncthreads();
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		atomicAdd(&local[data[i]], 1);
	__syncthreads();
	for (int i = threadIdx.x; i < 256; i += blockDim.x)
		if (local[i])
			atomicAdd(&counts[i], local[i]);
}
