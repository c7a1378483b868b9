// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Extended lambdas, generic kernels, and functors.
//: nvcc --extended-lambda
#include "check.h"

template <typename F> __global__ void each(int n, F f)
{
	for (int i = thread_index(); i < n; i += gridDim.x * blockDim.x)
		f(i);
}

template <int N> struct times {
	__host__ __device__ int operator()(int x) const { return N * x; }
};

template <typename F> __global__ void map(int *out, F f) { out[thread_index()] = f(out[thread_index()]); }

int main()
{
	int *out = zeroed<int>(64), offset = 3;

	each<<<2, 8>>>(64, [=] __device__(int i) { out[i] = i + offset; });
	map<<<2, 32>>>(out, times<5>());
	map<<<2, 32>>>(out, [] __host__ __device__(int x) { return x - 1; });
	int *got = fetched(out, 64);
	for (int i = 0; i < 64; i++)
		SAME(5 * (i + 3) - 1, got[i]);
	return ok();
}
