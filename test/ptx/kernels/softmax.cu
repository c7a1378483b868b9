// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Softmax of rows: by a warp in f32, by a block of any width in f16, and its gradient.
#include <cuda_fp16.h>
#include <cub/block/block_reduce.cuh>

extern "C" __global__ void softmax_warp(const float *in, float *out, int rows, int width)
{
	int row = blockIdx.x * blockDim.y + threadIdx.y;
	float most = -INFINITY, sum = 0;

	if (row >= rows)
		return;
	in += row * width;
	out += row * width;
	for (int i = threadIdx.x; i < width; i += 32)
		most = fmaxf(most, in[i]);
	for (int d = 16; d; d /= 2)
		most = fmaxf(most, __shfl_xor_sync(~0u, most, d));
	for (int i = threadIdx.x; i < width; i += 32)
		sum += __expf(in[i] - most);
	for (int d = 16; d; d /= 2)
		sum += __shfl_xor_sync(~0u, sum, d);
	for (int i = threadIdx.x; i < width; i += 32)
		out[i] = __fdividef(__expf(in[i] - most), sum);
}

struct Partial {
	float most, sum;
};

// Two partial sums to the base of the larger maximum.
struct Join {
	__device__ Partial operator()(const Partial &a, const Partial &b) const
	{
		float most = fmaxf(a.most, b.most);

		if (most == -INFINITY)
			return { most, 0 };
		return { most, a.sum * expf(a.most - most) + b.sum * expf(b.most - most) };
	}
};

extern "C" __global__ void softmax_block(const __half2 *in, __half2 *out, int pairs)
{
	using Reduce = cub::BlockReduce<Partial, 64>;
	__shared__ typename Reduce::TempStorage room;
	__shared__ Partial all;
	Partial own = { -INFINITY, 0 };

	in += blockIdx.x * pairs;
	out += blockIdx.x * pairs;
	for (int i = threadIdx.x; i < pairs; i += blockDim.x) {
		float2 v = __half22float2(in[i]);

		own = Join()(own, { v.x, 1 });
		own = Join()(own, { v.y, 1 });
	}
	Partial whole = Reduce(room).Reduce(own, Join());
	if (threadIdx.x == 0)
		all = whole;
	__syncthreads();
	for (int i = threadIdx.x; i < pairs; i += blockDim.x) {
		float2 v = __half22float2(in[i]);

		out[i] = __floats2half2_rn(expf(v.x - all.most) / all.sum,
					   expf(v.y - all.most) / all.sum);
	}
}

// dx = y * (dy - sum(y * dy)), four values at a time.
extern "C" __global__ void gradient(const float4 *y, const float4 *dy, float4 *dx, int fours)
{
	int lane = threadIdx.x;
	float dot = 0;

	y += blockIdx.x * fours, dy += blockIdx.x * fours, dx += blockIdx.x * fours;
	for (int i = lane; i < fours; i += 32) {
		float4 a = y[i], b = dy[i];

		dot += a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
	}
	for (int d = 16; d; d /= 2)
		dot += __shfl_down_sync(~0u, dot, d);
	dot = __shfl_sync(~0u, dot, 0);
	for (int i = lane; i < fours; i += 32) {
		float4 a = y[i], b = dy[i];

		dx[i] = make_float4(a.x * (b.x - dot), a.y * (b.y - dot), a.z * (b.z - dot),
				    a.w * (b.w - dot));
	}
}
