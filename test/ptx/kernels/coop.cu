// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cooperative groups: tiles and coalesced threads.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern "C" __global__ void tiles(const int *in, int *out)
{
	cg::thread_block block = cg::this_thread_block();
	auto tile = cg::tiled_partition<8>(block);
	int x = in[block.thread_rank()];

	for (int d = tile.size() / 2; d; d /= 2)
		x += tile.shfl_xor(x, d);
	block.sync();
	out[block.thread_rank()] = x + tile.any(x > 500);
}

extern "C" __global__ void aggregated(const int *in, int *counter, int *out)
{
	if (in[threadIdx.x] % 3 == 0) {
		auto g = cg::coalesced_threads();
		int base = 0;

		if (g.thread_rank() == 0)
			base = atomicAdd(counter, g.size());
		out[g.shfl(base, 0) + g.thread_rank()] = in[threadIdx.x];
	}
}
