// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Barriers of a block: counts, votes, named ones, and parts of it that wait for each other.
#include "check.h"

__global__ void run(int *out)
{
	__shared__ int data[128];
	int i = threadIdx.x, positive = __syncthreads_count(i % 3 == 0);

	data[i] = i;
	int any = __syncthreads_or(i == 77), all = __syncthreads_and(i < 128);
	out[i] = positive + 1000 * !!any + 2000 * !!all + data[127 - i];
	__syncthreads();
	/* The first half makes what the second half waits for. */
	if (i < 64) {
		data[i] = 2 * i;
		asm volatile("bar.arrive 1, 128;" ::: "memory");
	} else {
		asm volatile("bar.sync 1, 128;" ::: "memory");
		out[i] += 10000 * data[i - 64];
	}
	__threadfence();
}

int main()
{
	int *out = zeroed<int>(128), *got;

	run<<<1, 128>>>(out);
	got = fetched(out, 128);
	for (int i = 0; i < 128; i++)
		SAME(43 + 3000 + 127 - i + (i < 64 ? 0 : 20000 * (i - 64)), got[i]);
	return ok();
}
