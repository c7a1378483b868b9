// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Function pointers, recursion and local arrays.
#include "check.h"

typedef int (*operation)(int, int);
__device__ int plus(int a, int b) { return a + b; }
__device__ int minus(int a, int b) { return a - b; }
__device__ operation chosen = plus;

__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

__global__ void run(int *out, int n)
{
	int table[16];

	for (int i = 0; i < 16; i++)
		table[i] = i * n;
	operation other = n & 1 ? minus : plus;
	out[0] = chosen(5, 2);
	out[1] = other(5, 2);
	out[2] = fibonacci(n);
	out[3] = table[n & 15] + table[(n + 3) & 15];
}

int main()
{
	int *out = zeroed<int>(4);

	CHECK(cudaDeviceSetLimit(cudaLimitStackSize, 4096));
	run<<<1, 1>>>(out, 11);
	int *got = fetched(out, 4);
	SAME(7, got[0]);
	SAME(3, got[1]);
	SAME(89, got[2]);
	SAME(121 + 154, got[3]);
	return ok();
}
