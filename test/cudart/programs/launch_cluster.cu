// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Clusters: blocks that reach each other's shared memory, by attribute and by declaration.
#include <cooperative_groups.h>

#include "check.h"

namespace cg = cooperative_groups;

__global__ void exchange(int *out)
{
	__shared__ int mine;
	cg::cluster_group cluster = cg::this_cluster();
	unsigned rank = cluster.block_rank(), count = cluster.num_blocks();

	if (!threadIdx.x)
		mine = 100 * (blockIdx.x / count) + rank;
	cluster.sync();
	if (!threadIdx.x)
		out[blockIdx.x] = *cluster.map_shared_rank(&mine, (rank + 1) % count);
	cluster.sync();
}

__global__ void __cluster_dims__(2, 1, 1) declared(int *out)
{
	if (!threadIdx.x)
		out[blockIdx.x] = cg::this_cluster().num_blocks();
}

int main()
{
	int *out = zeroed<int>(8), *got, clusters;
	cudaLaunchConfig_t config = {};
	cudaLaunchAttribute attribute = {};

	config.gridDim = dim3(8);
	config.blockDim = dim3(32);
	attribute.id = cudaLaunchAttributeClusterDimension;
	attribute.val.clusterDim.x = 4;
	attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
	config.attrs = &attribute;
	config.numAttrs = 1;
	CHECK(cudaLaunchKernelEx(&config, exchange, out));
	got = fetched(out, 8);
	for (int i = 0; i < 8; i++)
		SAME(100 * (i / 4) + (i + 1) % 4, got[i]);
	CHECK(cudaOccupancyMaxActiveClusters(&clusters, exchange, &config));
	EXPECT(clusters > 0);
	declared<<<4, 32>>>(out);
	CHECK(cudaGetLastError());
	SAME(2, fetched(out, 4)[3]);
	return ok();
}
