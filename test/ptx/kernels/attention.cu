// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention with running maxima over a cache of bytes: keys and values by tiles, a query
// per warp, a key per lane.
#include <cuda_fp16.h>

constexpr int WIDTH = 64, TILE = 32, WARPS = 4;

__device__ float warp_max(float x)
{
	for (int d = 16; d; d /= 2)
		x = fmaxf(x, __shfl_xor_sync(~0u, x, d));
	return x;
}

__device__ float warp_sum(float x)
{
	for (int d = 16; d; d /= 2)
		x += __shfl_xor_sync(~0u, x, d);
	return x;
}

__device__ void fetch(const char4 *from, __half2 (*to)[WIDTH / 2 + 2], int base, int length)
{
	for (int i = threadIdx.x; i < TILE * WIDTH / 4; i += blockDim.x) {
		int r = i / (WIDTH / 4), c = i % (WIDTH / 4);
		char4 x = base + r < length ? from[base * WIDTH / 4 + i] : char4();

		to[r][c * 2] = __halves2half2(__int2half_rn(x.x), __int2half_rn(x.y));
		to[r][c * 2 + 1] = __halves2half2(__int2half_rn(x.z), __int2half_rn(x.w));
	}
}

// Row i sees the keys up to first + i; all of them if first is negative.
extern "C" __global__ void __launch_bounds__(WARPS * 32)
	attention(const __half2 *q, const char4 *k, const char4 *v, float2 *out, int rows,
		  int length, int first, float unit)
{
	__shared__ __half2 key[TILE][WIDTH / 2 + 2], value[TILE][WIDTH / 2 + 2];
	int lane = threadIdx.x % 32, row = blockIdx.x * WARPS + threadIdx.x / 32;
	int limit = first < 0 ? length : first + row + 1;
	const float scale = rsqrtf(WIDTH) * unit;
	__half2 mine = row < rows ? q[row * WIDTH / 2 + lane] : __half2();
	float most = -INFINITY, total = 0;
	float2 sum = make_float2(0, 0);

	for (int base = 0; base < length; base += TILE) {
		fetch(k, key, base, length);
		fetch(v, value, base, length);
		__syncthreads();
		float score = 0;
#pragma unroll 4
		for (int i = 0; i < WIDTH / 2; i++) {
			float2 a = __half22float2(__shfl_sync(~0u, mine, i));
			float2 b = __half22float2(key[lane][i]);

			score = fmaf(a.y, b.y, fmaf(a.x, b.x, score));
		}
		bool seen = base + lane < min(length, limit);
		score = seen ? score * scale : -INFINITY;

		float top = fmaxf(warp_max(score), most);
		float fade = top == -INFINITY ? 1 : expf(most - top);
		float p = seen ? expf(score - top) : 0;

		total = total * fade + warp_sum(p);
		sum = make_float2(sum.x * fade, sum.y * fade);
#pragma unroll 4
		for (int j = 0; j < TILE; j++) {
			float w = __shfl_sync(~0u, p, j);
			float2 x = __half22float2(value[j][lane]);

			sum.x = fmaf(w, x.x, sum.x);
			sum.y = fmaf(w, x.y, sum.y);
		}
		most = top;
		__syncthreads();
	}
	if (row < rows)
		out[row * WIDTH / 2 + lane] =
			make_float2(sum.x * unit / total, sum.y * unit / total);
}
