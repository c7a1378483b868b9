// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Variables of a module, a structure by value, and pointers to pointers.
struct scaled {
	float *p;
	int n;
	float s;
};

__constant__ float factor;
__constant__ float table[4];
__device__ unsigned count;
namespace deep {
__device__ int seen[3];
}

extern "C" __global__ void filter(float *x, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= n)
		return;
	x[i] = x[i] * factor + table[i % 4];
	atomicAdd(&count, 1);
	atomicAdd(&deep::seen[i % 3], 1);
}

extern "C" __global__ void scale(scaled v)
{
	for (int i = threadIdx.x; i < v.n; i += blockDim.x)
		v.p[i] *= v.s;
}

extern "C" __global__ void gather(float **rows, int count, float *sum)
{
	float total = 0;

	for (int i = 0; i < count; i++)
		total += rows[i][threadIdx.x];
	sum[threadIdx.x] = total;
}
