// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Clocks, timers and pauses of a kernel; identities of threads, warps and blocks.
//: finds the race of the two flags that all threads set alike
#include "check.h"

__global__ void run(unsigned long long *out, int *ids)
{
	unsigned long long before = clock64(), timer;

	__nanosleep(2000);
	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(timer));
	out[0] = clock64() > before;
	out[1] = timer > 1000000000ull;
	int i = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
	int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
	ids[block * 24 + i] = 1000 * block + 100 * threadIdx.z + 10 * threadIdx.y + threadIdx.x + warpSize;
}

int main()
{
	unsigned long long *out = zeroed<unsigned long long>(2), *got;
	int *ids = zeroed<int>(24 * 8), *id;

	run<<<dim3(2, 2, 2), dim3(4, 3, 2)>>>(out, ids);
	got = fetched(out, 2);
	EXPECT(got[0] && got[1]);
	id = fetched(ids, 24 * 8);
	for (int b = 0; b < 8; b++)
		for (int z = 0; z < 2; z++)
			for (int y = 0; y < 3; y++)
				for (int x = 0; x < 4; x++)
					SAME(1000 * b + 100 * z + 10 * y + x + 32, id[24 * b + x + 4 * (y + 3 * z)]);
	return ok();
}
