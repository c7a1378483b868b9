// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For: nvcc80 nvcc90 clang
// A product of bfloat16 matrices with four columns per thread, and what goes around it.
#include <cuda_bf16.h>

constexpr int TILE = 8;

struct __align__(8) Four {
	__nv_bfloat162 low, high;
};

extern "C" __global__ void gemm_bf16(const __nv_bfloat16 *a, const Four *b, Four *c, int n)
{
	__shared__ __nv_bfloat16 sa[TILE][TILE + 1];
	__shared__ Four sb[TILE][TILE];
	int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
	__nv_bfloat162 zero = __float2bfloat162_rn(0.0f);
	Four sum = { zero, zero };

	for (int base = 0; base < n; base += TILE) {
		sa[threadIdx.y][threadIdx.x] = a[y * n + base + threadIdx.x];
		sb[threadIdx.y][threadIdx.x] =
			x < n / 4 ? b[(base + threadIdx.y) * (n / 4) + x] : Four{ zero, zero };
		__syncthreads();
		for (int k = 0; k < TILE; k++) {
			__nv_bfloat162 p = __bfloat162bfloat162(sa[threadIdx.y][k]);

			sum.low = __hfma2(p, sb[k][threadIdx.x].low, sum.low);
			sum.high = __hfma2(p, sb[k][threadIdx.x].high, sum.high);
		}
		__syncthreads();
	}
	if (x < n / 4)
		c[y * (n / 4) + x] = sum;
}

// Gradients with a scale: not finite ones are counted and left out; f32 weights follow.
extern "C" __global__ void update(const __nv_bfloat16 *gradient, float *weight,
				  __nv_bfloat16 *copy, int n, float rate, float inverse,
				  int *skipped)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= n)
		return;
	__nv_bfloat16 g = gradient[i];
	if (__hisnan(g) || __hisinf(g)) {
		atomicAdd(skipped, 1);
	} else {
		__nv_bfloat16 limit = __float2bfloat16(4.0f);

		g = __hmin(__hmax(g, __hneg(limit)), limit);
		weight[i] = __fmaf_rn(-rate * inverse, __bfloat162float(g), weight[i]);
	}
	copy[i] = __float2bfloat16_rn(weight[i]);
}
