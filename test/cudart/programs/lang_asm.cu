// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PTX written in the source.
#include "check.h"

__device__ static unsigned lane()
{
	unsigned id;

	asm volatile("mov.u32 %0, %%laneid;" : "=r"(id));
	return id;
}

__global__ void run(unsigned *out, unsigned long long *wide)
{
	unsigned x = threadIdx.x, y;

	asm("{ .reg .u32 t; add.u32 t, %1, 7; mad.lo.u32 %0, t, 3, %1; }" : "=r"(y) : "r"(x));
	out[x] = y;
	out[64 + x] = lane();
	asm("mul.wide.u32 %0, %1, %2;" : "=l"(wide[x]) : "r"(x), "r"(0x80000000u));
	asm volatile("red.global.add.u32 [%0], %1;" ::"l"(out + 128), "r"(1) : "memory");
}

int main()
{
	unsigned *out = zeroed<unsigned>(129);
	unsigned long long *wide = zeroed<unsigned long long>(64);

	run<<<1, 64>>>(out, wide);
	unsigned *got = fetched(out, 129);
	for (unsigned i = 0; i < 64; i++) {
		SAME((i + 7) * 3 + i, got[i]);
		SAME(i % 32, got[64 + i]);
		EXPECT(fetched(wide, 64)[i] == (unsigned long long)i << 31);
	}
	SAME(64, got[128]);
	return ok();
}
