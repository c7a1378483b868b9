// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For: nvcc90
// Clusters of two blocks: a histogram spread over their shared memories, and a reduction.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

constexpr int BINS = 32;

extern "C" __global__ void __cluster_dims__(2, 1, 1)
	spread(const unsigned char *in, int n, int *bins)
{
	__shared__ int part[BINS / 2];
	cg::cluster_group cluster = cg::this_cluster();
	int t = threadIdx.x, rank = cluster.block_rank();

	for (int i = t; i < BINS / 2; i += blockDim.x)
		part[i] = 0;
	cluster.sync();
	for (int i = cluster.thread_rank(); i < n; i += cluster.num_threads()) {
		int bin = in[i] % BINS;
		int *far = cluster.map_shared_rank(part, bin / (BINS / 2));

		atomicAdd(&far[bin % (BINS / 2)], 1);
	}
	cluster.sync();
	for (int i = t; i < BINS / 2; i += blockDim.x)
		bins[rank * (BINS / 2) + i] = part[i];
}

// Every block leaves its sum with the first of its cluster.
extern "C" __global__ void __cluster_dims__(4, 1, 1) reduce(const int *in, int *sums)
{
	__shared__ int got[4];
	cg::cluster_group cluster = cg::this_cluster();
	int sum = __reduce_add_sync(~0u, in[blockIdx.x * 32 + threadIdx.x]);

	if (threadIdx.x == 0)
		cluster.map_shared_rank(got, 0)[cluster.block_rank()] = sum;
	cluster.sync();
	if (cluster.thread_rank() == 0)
		sums[blockIdx.x / 4] = got[0] + got[1] + got[2] + got[3];
}
