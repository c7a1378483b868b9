// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counts in a variable of the device.
__device__ int counter = 100;

__global__ void add(int value) { counter += value; }

extern "C" int count(int value)
{
	int got = -1;

	add<<<1, 1>>>(value);
	cudaMemcpyFromSymbol(&got, counter, sizeof(got));
	return got;
}
