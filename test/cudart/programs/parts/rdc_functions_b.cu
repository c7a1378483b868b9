// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
__device__ int counter;
__constant__ int offset = 7;

__device__ int twice(int value)
{
	return value * 2;
}

__global__ void other(int *out)
{
	*out = counter;
}

void set_counter(int value)
{
	cudaMemcpyToSymbol(counter, &value, sizeof(value));
}
