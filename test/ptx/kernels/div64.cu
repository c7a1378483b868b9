// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Divisions of 64 bits, signed and unsigned, by variables and by constants.

extern "C" __global__ void div64(const long long *a, const long long *b, long long *out)
{
	int i = threadIdx.x;
	unsigned long long ua = a[i], ub = b[i];

	out[6 * i] = a[i] / b[i];
	out[6 * i + 1] = a[i] % b[i];
	out[6 * i + 2] = ua / ub;
	out[6 * i + 3] = ua % ub;
	out[6 * i + 4] = a[i] / 1000000007;
	out[6 * i + 5] = ua % 10;
}
