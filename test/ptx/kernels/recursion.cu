// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions that call themselves, to a depth of each lane's own.

__device__ __noinline__ int fib(int n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

__device__ __noinline__ int ackermann(int m, int n)
{
	if (m == 0)
		return n + 1;
	return ackermann(m - 1, n ? ackermann(m, n - 1) : 1);
}

extern "C" __global__ void recursion(int *out)
{
	int i = threadIdx.x;

	out[i] = i & 1 ? fib(i % 14) : ackermann(i % 3, i % 5);
}
