/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Kernels with all that --info tells: bounds, a cluster, barriers, stack, shared memory. */
__device__ int total;
__constant__ float weights[8] = { 1, 2 };

__global__ void __launch_bounds__(128, 4) bounded(const float *x, float *y, int n)
{
	__shared__ float part[128];

	part[threadIdx.x] = x[threadIdx.x] * weights[n & 7];
	__syncthreads();
	y[threadIdx.x] = part[127 - threadIdx.x];
	total++;
}

extern "C" __global__ void __cluster_dims__(2, 1, 1) clustered(int *out)
{
	volatile int stack[100];
	extern __shared__ int dynamic[];

	for (int i = 0; i < 100; i++)
		stack[i] = out[i];
	dynamic[threadIdx.x] = stack[out[0] & 63];
	__syncthreads();
	out[threadIdx.x] = dynamic[threadIdx.x ^ 1];
}

extern "C" __global__ void __launch_bounds__(64, 2, 4) ranked(int *out)
{
	asm volatile("bar.sync 3, 64;");
	out[threadIdx.x] = 1;
}
