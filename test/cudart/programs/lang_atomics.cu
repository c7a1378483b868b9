// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Atomics of every type, in global and in shared memory.
#include "check.h"

struct totals {
	int i, low, high, exchanged;
	unsigned u, wrapped, bits;
	unsigned long long l, swapped;
	float f;
	double d;
};

__global__ void run(totals *a, int *shared_sum)
{
	__shared__ int sum;

	if (!threadIdx.x)
		sum = 0;
	__syncthreads();
	atomicAdd(&sum, 2);
	atomicAdd(&a->i, 1);
	atomicMin(&a->low, (int)threadIdx.x - 5);
	atomicMax(&a->high, thread_index());
	atomicExch(&a->exchanged, 7);
	atomicSub(&a->u, 1u);
	atomicInc(&a->wrapped, 99u);
	atomicOr(&a->bits, 1u << (threadIdx.x & 31));
	atomicAdd(&a->l, 1ull << 32);
	atomicCAS(&a->swapped, 0ull, 42ull);
	atomicAdd(&a->f, 0.5f);
	atomicAdd(&a->d, 0.25);
	__syncthreads();
	if (!threadIdx.x)
		atomicAdd(shared_sum, sum);
}

int main()
{
	totals *a = zeroed<totals>(1);
	int *sum = zeroed<int>(1);

	run<<<4, 64>>>(a, sum);
	totals got = *fetched(a, 1);
	SAME(256, got.i);
	SAME(-5, got.low);
	SAME(255, got.high);
	SAME(7, got.exchanged);
	SAME(0u - 256u, got.u);
	SAME(56, got.wrapped);
	SAME(0xffffffffu, got.bits);
	EXPECT(got.l == 256ull << 32 && got.swapped == 42);
	SAME(128, got.f);
	SAME(64, got.d);
	SAME(512, taken(sum));
	return ok();
}
