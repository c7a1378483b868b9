// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Block primitives of a template library: radix sort, scan, reduction.
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>

extern "C" __global__ void cub_sort(unsigned *keys, unsigned short *values)
{
	using Sort = cub::BlockRadixSort<unsigned, 64, 4, unsigned short>;
	__shared__ typename Sort::TempStorage room;
	unsigned k[4];
	unsigned short v[4];

	for (int j = 0; j < 4; j++) {
		k[j] = keys[threadIdx.x * 4 + j];
		v[j] = values[threadIdx.x * 4 + j];
	}
	Sort(room).Sort(k, v);
	for (int j = 0; j < 4; j++) {
		keys[threadIdx.x * 4 + j] = k[j];
		values[threadIdx.x * 4 + j] = v[j];
	}
}

extern "C" __global__ void cub_scan(const int *in, int *out, long long *total)
{
	using Scan = cub::BlockScan<int, 96>;
	using Reduce = cub::BlockReduce<long long, 96>;
	__shared__ typename Scan::TempStorage room;
	__shared__ typename Reduce::TempStorage other;
	int x = in[threadIdx.x], y;

	Scan(room).ExclusiveSum(x, y);
	out[threadIdx.x] = y;
	long long sum = Reduce(other).Sum((long long)x * x);
	if (threadIdx.x == 0)
		*total = sum;
}
