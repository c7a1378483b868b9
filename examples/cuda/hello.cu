// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>

extern "C" __global__ void hello()
{
	printf("hello from thread %d of block %d\n", threadIdx.x, blockIdx.x);
}
