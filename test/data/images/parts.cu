// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel that needs a function and a variable of another translation unit.
#if PART == 1
extern __device__ int calls;
extern __device__ float twice(float x);

extern "C" __global__ void apply(float *x, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		x[i] = twice(x[i]);
	if (i == 0)
		calls += n;
}
#else
__device__ int calls;
__device__ float twice(float x)
{
	return 2 * x;
}

extern "C" __global__ void zero(float *x)
{
	x[threadIdx.x] = 0;
}
#endif
