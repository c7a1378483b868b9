// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A relocatable build of a single file, with a managed variable and a function pointer.
//: nvcc -rdc=true
#include "check.h"

__managed__ int sum = 5;
__device__ __noinline__ int square(int x) { return x * x; }
__device__ __noinline__ int negated(int x) { return -x; }
__device__ int (*table[2])(int) = { square, negated };

__global__ void run(int which)
{
	atomicAdd(&sum, table[which](thread_index()));
}

int main()
{
	SAME(5, sum);
	run<<<1, 4>>>(0);
	CHECK(cudaDeviceSynchronize());
	SAME(5 + 14, sum);
	run<<<1, 4>>>(1);
	CHECK(cudaDeviceSynchronize());
	SAME(5 + 14 - 6, sum);
	return ok();
}
