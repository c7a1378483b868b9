// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// printf of kernels: every conversion, strings, and more than one block.
#include "check.h"

__global__ void say(int block)
{
	if (blockIdx.x == block && !threadIdx.x)
		printf("%d %5.2f %s %c %llx %p %%\n", block, 1.5, "text", 'c', 0xabcdefull, (void *)16);
}

int main()
{
	for (int i = 0; i < 3; i++)
		say<<<3, 32>>>(i);
	CHECK(cudaDeviceSynchronize());
	return ok();
}
