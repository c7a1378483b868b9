// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Layer normalisation by Welford's sums, put together over warps; f32, f16 and bf16.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

struct Moments {
	float mean, m2, count;
};

__device__ Moments join(Moments a, Moments b)
{
	float n = a.count + b.count, d = b.mean - a.mean;

	if (n == 0)
		return a;
	return { a.mean + d * (b.count / n), a.m2 + b.m2 + d * d * (a.count * b.count / n), n };
}

__device__ Moments of_block(Moments m)
{
	__shared__ Moments part[32];
	int lane = threadIdx.x % 32, warp = threadIdx.x / 32;

	for (int round = 0; round < 2; round++) {
		for (int d = 16; d; d /= 2)
			m = join(m, { __shfl_xor_sync(~0u, m.mean, d),
				      __shfl_xor_sync(~0u, m.m2, d),
				      __shfl_xor_sync(~0u, m.count, d) });
		if (round)
			break;
		if (lane == 0)
			part[warp] = m;
		__syncthreads();
		m = lane < blockDim.x / 32 ? part[lane] : Moments{ 0, 0, 0 };
	}
	return m;
}

template <typename T, typename Load, typename Store>
__device__ void normalise(const T *in, T *out, const float *scale, const float *shift,
			  int width, float epsilon, Load load, Store store)
{
	Moments m = { 0, 0, 0 };

	in += blockIdx.x * width;
	out += blockIdx.x * width;
	for (int i = threadIdx.x; i < width; i += blockDim.x) {
		float x = load(in[i]), d = x - m.mean;

		m.count += 1;
		m.mean += d / m.count;
		m.m2 += d * (x - m.mean);
	}
	m = of_block(m);
	float r = rsqrtf(m.m2 / width + epsilon);
	for (int i = threadIdx.x; i < width; i += blockDim.x)
		out[i] = store((load(in[i]) - m.mean) * r * scale[i] + shift[i]);
}

extern "C" __global__ void norm_f32(const float *in, float *out, const float *scale,
				    const float *shift, int width, float epsilon)
{
	normalise(in, out, scale, shift, width, epsilon, [](float x) { return x; },
		  [](float x) { return x; });
}

extern "C" __global__ void norm_f16(const __half *in, __half *out, const float *scale,
				    const float *shift, int width, float epsilon)
{
	normalise(in, out, scale, shift, width, epsilon,
		  [](__half x) { return __half2float(x); },
		  [](float x) { return __float2half_rn(x); });
}

extern "C" __global__ void norm_bf16(const __nv_bfloat16 *in, __nv_bfloat16 *out,
				     const float *scale, const float *shift, int width,
				     float epsilon)
{
	normalise(in, out, scale, shift, width, epsilon,
		  [](__nv_bfloat16 x) { return __bfloat162float(x); },
		  [](float x) { return __float2bfloat16_rn(x); });
}
