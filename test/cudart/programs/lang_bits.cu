// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integer intrinsics, each held against the same written in C.
#include "check.h"

__global__ void run(unsigned *out, unsigned x, unsigned y)
{
	out[0] = __popc(x);
	out[1] = __clz(x);
	out[2] = __ffs(x);
	out[3] = __brev(__brev(x));
	out[4] = __byte_perm(x, y, 0x7531);
	out[5] = __funnelshift_l(x, y, 8);
	out[6] = __vadd4(x, y);
	out[7] = __dp4a(x, y, 5u);
	out[8] = __umulhi(x, y);
	out[9] = __float_as_uint(1.0f);
	out[10] = __popcll((unsigned long long)x << 32 | y);
	out[11] = (unsigned)__float2int_rn(2.5f);
}

int main()
{
	const unsigned x = 0x00f0a501u, y = 0x12fe5678u;
	unsigned *out = zeroed<unsigned>(12), *got, sums = 0, dot = 5;

	run<<<1, 1>>>(out, x, y);
	got = fetched(out, 12);
	for (int i = 0; i < 32; i += 8) {
		sums |= ((x >> i) + (y >> i) & 255) << i;
		dot += (x >> i & 255) * (y >> i & 255);
	}
	SAME(__builtin_popcount(x), got[0]);
	SAME(__builtin_clz(x), got[1]);
	SAME(1, got[2]);
	SAME(x, got[3]);
	SAME((x >> 8 & 255) | (x >> 24) << 8 | (y >> 8 & 255) << 16 | y >> 24 << 24, got[4]);
	SAME(y << 8 | x >> 24, got[5]);
	SAME(sums, got[6]);
	SAME(dot, got[7]);
	SAME((unsigned)((unsigned long long)x * y >> 32), got[8]);
	SAME(0x3f800000u, got[9]);
	SAME(__builtin_popcount(x) + __builtin_popcount(y), got[10]);
	SAME(2, got[11]);
	return ok();
}
