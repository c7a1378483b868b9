/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The kernels that the CPU device is measured with; kernels.cl has their twins.
 * kernels.ptx is what nvcc makes of them: nvcc -ptx -arch=compute_75 kernels.cu
 */
extern "C" __global__ void saxpy(int n, float a, const float *__restrict__ x, float *__restrict__ y)
{
	int stride = blockDim.x * gridDim.x;

	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
		y[i] = a * x[i] + y[i];
}

extern "C" __global__ void inthash(unsigned rounds, unsigned *out)
{
	unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned x = t * 2654435761u + 1u, sum = 0;

#pragma unroll 1
	for (unsigned k = 0; k < rounds; k++) {
		x ^= x << 13;
		x ^= x >> 17;
		x ^= x << 5;
		sum += x * 1664525u + 1013904223u;
		sum ^= (sum >> 7) & x;
	}
	out[t] = sum;
}

/* Lanes leave the loop at very different times. */
extern "C" __global__ void collatz(unsigned n, unsigned *out)
{
	unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned x = t + 1, steps = 0;

	if (t >= n)
		return;
#pragma unroll 1
	while (x != 1) {
		if (x & 1) {
			x = 3 * x + 1;
			steps += 2;
		} else {
			x >>= 1;
			steps += 1;
		}
		if (steps > 400)
			break;
	}
	out[t] = steps;
}

extern "C" __global__ void gemm(int n, const float *__restrict__ a, const float *__restrict__ b,
				float *c)
{
	int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
	float sum = 0;

	if (i >= n || j >= n)
		return;
#pragma unroll 1
	for (int k = 0; k < n; k++)
		sum += a[i * n + k] * b[k * n + j];
	c[i * n + j] = sum;
}

extern "C" __global__ void reduce(int n, const float *__restrict__ x, float *out)
{
	__shared__ float part[256];
	float sum = 0;

	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		sum += x[i];
	part[threadIdx.x] = sum;
	__syncthreads();
#pragma unroll 1
	for (int width = 128; width > 0; width >>= 1) {
		if (threadIdx.x < width)
			part[threadIdx.x] += part[threadIdx.x + width];
		__syncthreads();
	}
	if (threadIdx.x == 0)
		out[blockIdx.x] = part[0];
}

/* C = A B in tiles of T by T; n is a multiple of T. Warps are several rows of a tile. */
#define MATMUL(T)                                                                          \
	extern "C" __global__ void matmul##T(int n, const float *__restrict__ a,           \
					     const float *__restrict__ b, float *c)        \
	{                                                                                  \
		__shared__ float sa[T][T], sb[T][T];                                       \
		int u = threadIdx.x, v = threadIdx.y;                                      \
		int j = blockIdx.x * T + u, i = blockIdx.y * T + v;                        \
		float sum = 0;                                                             \
                                                                                           \
		for (int t = 0; t < n; t += T) {                                           \
			sa[v][u] = a[i * n + t + u];                                       \
			sb[v][u] = b[(t + v) * n + j];                                     \
			__syncthreads();                                                   \
			for (int k = 0; k < T; k++)                                        \
				sum += sa[v][k] * sb[k][u];                                \
			__syncthreads();                                                   \
		}                                                                          \
		c[i * n + j] = sum;                                                        \
	}
MATMUL(16)
MATMUL(8)
