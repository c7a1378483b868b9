// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A template that unrolls, a lambda, local arrays with computed places.

template <typename F> __device__ int fold(F f, int n)
{
	int a[8];
	int r = 0;

	for (int k = 0; k < 8; k++)
		a[(k * 5 + n) & 7] = f(k);
	for (int k = 0; k < 8; k++)
		r = r * 31 + a[k];
	return r;
}

extern "C" __global__ void lambdas(int *out)
{
	int i = threadIdx.x, base = i * 3;

	out[i] = fold([=](int k) { return base + k * k; }, i);
}
