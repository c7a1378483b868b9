// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integers of 128 bits: chains of carries, additions after subtractions among them.

extern "C" __global__ void int128(const unsigned long long *in, unsigned long long *out, int n)
{
	unsigned i = threadIdx.x;
	unsigned long long a = in[i];
	__int128 z = (__int128)a * n - 5;
	unsigned __int128 u = (unsigned __int128)a << 40;

	out[8 * i] = (unsigned long long)(z >> 64);
	out[8 * i + 1] = (unsigned long long)(z / 7);
	out[8 * i + 2] = (unsigned long long)(z % 7);
	out[8 * i + 3] = (unsigned long long)(-z / n);
	out[8 * i + 4] = (unsigned long long)(u / (n * 1000003ull));
	out[8 * i + 5] = (unsigned long long)(u % (n * 1000003ull));
	out[8 * i + 6] = __umul64hi(a, a * 3);
	out[8 * i + 7] = (unsigned long long)(u >> n);
}
