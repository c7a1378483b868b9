// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix products in half2 arithmetic, two columns per thread; activations.
#include <cuda_fp16.h>

constexpr int TILE = 8;

extern "C" __global__ void gemm_f16(const __half *a, const __half2 *b, __half2 *c, int n)
{
	__shared__ __half sa[TILE][TILE];
	__shared__ __half2 sb[TILE][TILE];
	int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
	__half2 sum = __float2half2_rn(0.0f);

	for (int base = 0; base < n; base += TILE) {
		sa[threadIdx.y][threadIdx.x] = a[y * n + base + threadIdx.x];
		sb[threadIdx.y][threadIdx.x] = b[(base + threadIdx.y) * (n / 2) + x];
		__syncthreads();
		for (int k = 0; k < TILE; k++)
			sum = __hfma2(__half2half2(sa[threadIdx.y][k]), sb[k][threadIdx.x], sum);
		__syncthreads();
	}
	c[y * (n / 2) + x] = sum;
}

// What networks do to activations, two at a time.
extern "C" __global__ void activate(const __half2 *in, __half2 *out, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= n)
		return;
	__half2 x = in[i], zero = __float2half2_rn(0.0f), one = __float2half2_rn(1.0f);
	__half2 leak = __hmul2(x, __float2half2_rn(0.125f));
	__half2 clipped = __hmin2(__hmax2(x, zero), __float2half2_rn(6.0f));

	out[i * 4] = __hmax2(x, leak);
	out[i * 4 + 1] = clipped;
	out[i * 4 + 2] = __hfma2_sat(x, __float2half2_rn(0.25f), __float2half2_rn(0.5f));
	out[i * 4 + 3] = __hsub2(__habs2(x), __hmul2(__hgt2(x, one), one));
}
