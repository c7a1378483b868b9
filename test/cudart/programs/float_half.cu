// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// __half, __half2 and __nv_bfloat16: arithmetic, conversions, comparisons and atomics.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "check.h"

__global__ void run(float *out, __half *half, __half2 *two, __nv_bfloat16 *brain)
{
	__half a = __float2half(1.5f), b = __half(2.25f);
	__half2 v = __floats2half2_rn(1.0f, 2.0f), w = __half2half2(b);
	__nv_bfloat16 c = __float2bfloat16(3.14159f);

	out[0] = __half2float(a * b);
	out[1] = __half2float(__hfma(a, b, a));
	out[2] = __low2float(__hadd2(v, w));
	out[3] = __high2float(__hmul2(v, w));
	out[4] = __hgt(a, b) ? 1 : 2;
	out[5] = __bfloat162float(c);
	out[6] = __bfloat162float(c + c);
	out[7] = __half2float(hsqrt(__half(2.25f)));
	out[8] = __half2float(__float2half_rz(2049.0f)) + __half2int_rn(__half(2.5f));
	atomicAdd(half, __half(0.5f));
	atomicAdd(two, __floats2half2_rn(1.0f, 2.0f));
	atomicAdd(brain, __float2bfloat16(1.0f));
}

int main()
{
	float *out = zeroed<float>(9), *got;
	__half *half = zeroed<__half>(2);
	__half2 *two = zeroed<__half2>(1);
	__nv_bfloat16 *brain = zeroed<__nv_bfloat16>(2);

	run<<<1, 32>>>(out, half, two, brain);
	got = fetched(out, 9);
	const float want[] = { 3.375f, 4.875f, 3.25f, 4.5f, 2, 3.140625f, 6.28125f, 1.5f, 2048 + 2 };
	for (int i = 0; i < 9; i++)
		SAME(want[i], got[i]);
	SAME(16, __half2float(fetched(half, 1)[0]));
	SAME(64, __high2float(fetched(two, 1)[0]));
	SAME(32, __bfloat162float(fetched(brain, 1)[0]));
	return ok();
}
