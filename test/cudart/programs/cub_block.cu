// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CUB's collectives of a block and a warp.
#include <cub/cub.cuh>
#include <cuda/functional>

#include "check.h"

__global__ void run(int *out)
{
	typedef cub::BlockScan<int, 128> scan;
	typedef cub::BlockReduce<int, 128> reduce;
	typedef cub::BlockRadixSort<int, 128, 2> sort;
	typedef cub::WarpReduce<int> warp;
	__shared__ union {
		scan::TempStorage scan;
		reduce::TempStorage reduce;
		sort::TempStorage sort;
		warp::TempStorage warp[4];
	} space;
	int i = threadIdx.x, before, total, pair[2] = { (i * 37) % 256, (i * 37 + 128) % 256 };

	scan(space.scan).ExclusiveSum(i, before);
	__syncthreads();
	total = reduce(space.reduce).Sum(i);
	__syncthreads();
	sort(space.sort).Sort(pair);
	__syncthreads();
	out[i] = before;
	out[128 + 2 * i] = pair[0];
	out[129 + 2 * i] = pair[1];
	if (!i)
		out[384] = total;
	total = warp(space.warp[i / 32]).Reduce(i, cuda::maximum<>());
	if (i % 32 == 0)
		out[385 + i / 32] = total;
}

int main()
{
	int *out = zeroed<int>(389), *got;

	run<<<1, 128>>>(out);
	CHECK(cudaGetLastError());
	got = fetched(out, 389);
	for (int i = 0; i < 128; i++)
		SAME(i * (i - 1) / 2, got[i]);
	for (int i = 1; i < 256; i++)
		EXPECT(got[128 + i - 1] <= got[128 + i]);
	SAME(128 * 127 / 2, got[384]);
	SAME(95, got[387]);
	return ok();
}
