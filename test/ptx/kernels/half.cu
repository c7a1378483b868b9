// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Half-precision arithmetic, one number at a time.
#include <cuda_fp16.h>

extern "C" __global__ void half_math(const __half *a, const __half *b, __half *out)
{
	int i = threadIdx.x;
	__half s = __hadd(a[i], b[i]), p = __hmul(a[i], b[i]);

	out[4 * i] = s;
	out[4 * i + 1] = p;
	out[4 * i + 2] = __hfma(a[i], b[i], s);
	out[4 * i + 3] = __float2half(__half2float(a[i]) / 3.0f);
}

extern "C" __global__ void half_compare(const __half *a, const __half *b, int *out)
{
	int i = threadIdx.x;

	out[i] = __hlt(a[i], b[i]) + 2 * __heq(a[i], b[i]) + 4 * __hge(a[i], b[i]);
}
