// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a kernel reaches besides buffers: variables of the module, a structure by value, pointers
// to pointers.
struct part {
	float *x;
	int n;
	float by;
};

__constant__ float weights[4];
__device__ unsigned count;

extern "C" __global__ void weigh(float *x, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= n)
		return;
	x[i] *= weights[i % 4];
	atomicAdd(&count, 1);
}

extern "C" __global__ void scale(part p)
{
	for (int i = threadIdx.x; i < p.n; i += blockDim.x)
		p.x[i] *= p.by;
}

extern "C" __global__ void gather(float *const *rows, int n, float *sum)
{
	float total = 0;

	for (int i = 0; i < n; i++)
		total += rows[i][threadIdx.x];
	sum[threadIdx.x] = total;
}
