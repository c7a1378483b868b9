// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// printf and assert.
#include <assert.h>
#include <stdio.h>

extern "C" __global__ void print(int n, float f, const char *text)
{
	if (threadIdx.x == 3)
		printf("%s: n=%d f=%.3f %c %lld %%\n", text, n, f, 'x', (long long)n * n);
	if (threadIdx.x < 2)
		printf("thread %u of block %u\n", threadIdx.x, blockIdx.x);
}

extern "C" __global__ void check(const int *in)
{
	assert(in[threadIdx.x] < 10);
}
