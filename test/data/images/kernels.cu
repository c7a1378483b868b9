/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The kernels of the image fixtures: one of each thing that a listing tells. */
struct pair {
	double d;
	int i;
};

__device__ int counter = 7;
__constant__ float table[4] = { 1, 2, 3, 4 };

extern "C" __global__ void vadd(const float *a, const float *b, float *c, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		c[i] = a[i] + b[i];
}

namespace math {
template <class T> __global__ void axpb(T *x, T a, T b, int n)
{
	if (threadIdx.x < n)
		x[threadIdx.x] = a * x[threadIdx.x] + b;
}
template __global__ void axpb<float>(float *, float, float, int);
template __global__ void axpb<int>(int *, int, int, int);
}

extern "C" __global__ void __launch_bounds__(64) mixed(char c, struct pair p, int *out)
{
	__shared__ int buffer[64];

	buffer[threadIdx.x] = c + p.i + (int)p.d;
	__syncthreads();
	out[threadIdx.x] = buffer[63 - threadIdx.x] + (int)table[c & 3];
	if (!threadIdx.x)
		counter++;
}

static __global__ void hidden(int *p)
{
	extern __shared__ int dynamic[];

	dynamic[threadIdx.x] = *p;
	__syncthreads();
	*p = dynamic[1 - threadIdx.x];
}

void launch_hidden(int *p)
{
	hidden<<<1, 2, 8>>>(p);
}
