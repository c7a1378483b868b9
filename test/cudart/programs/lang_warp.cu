// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shuffles, votes, matches and reductions of a warp.
#include "check.h"

__global__ void run(int *out)
{
	int lane = threadIdx.x;
	unsigned all = 0xffffffffu;

	out[lane] = __shfl_sync(all, lane * 10, 5);
	out[32 + lane] = __shfl_up_sync(all, lane, 3);
	out[64 + lane] = __shfl_down_sync(all, lane, 4, 8);
	out[96 + lane] = __shfl_xor_sync(all, lane, 1);
	out[128 + lane] = (int)__ballot_sync(all, lane % 3 == 0);
	out[160 + lane] = __any_sync(all, lane == 31) + 2 * __all_sync(all, lane < 31);
	out[192 + lane] = (int)__match_any_sync(all, lane / 8);
	out[224 + lane] = __reduce_add_sync(all, lane) + __reduce_max_sync(all, lane);
	out[256 + lane] = __popc(__activemask());
}

int main()
{
	int *out = zeroed<int>(288);

	run<<<1, 32>>>(out);
	int *got = fetched(out, 288);
	for (int i = 0; i < 32; i++) {
		SAME(50, got[i]);
		SAME(i < 3 ? i : i - 3, got[32 + i]);
		SAME(i % 8 < 4 ? i + 4 : i, got[64 + i]);
		SAME(i ^ 1, got[96 + i]);
		SAME(0x49249249, got[128 + i]);
		SAME(1, got[160 + i]);
		SAME((int)(0xffu << (i / 8 * 8)), got[192 + i]);
		SAME(496 + 31, got[224 + i]);
		SAME(32, got[256 + i]);
	}
	return ok();
}
