// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A cooperative launch: the grid waits for itself; one that is too large is refused.
#include <cooperative_groups.h>

#include "check.h"

namespace cg = cooperative_groups;

__global__ void sum(int *data, int n)
{
	cg::grid_group grid = cg::this_grid();

	for (int step = 1; step < n; step *= 2) {
		int i = (int)grid.thread_rank() * 2 * step;

		if (i + step < n)
			data[i] += data[i + step];
		grid.sync();
	}
}

int main()
{
	enum { N = 256 };
	int host[N], *data = zeroed<int>(N), n = N, blocks;
	void *args[] = { &data, &n };
	cudaDeviceProp prop;

	for (int i = 0; i < N; i++)
		host[i] = i;
	CHECK(cudaMemcpy(data, host, sizeof(host), cudaMemcpyHostToDevice));
	CHECK(cudaLaunchCooperativeKernel(sum, dim3(4), dim3(32), args, 0, 0));
	CHECK(cudaDeviceSynchronize());
	SAME(N * (N - 1) / 2, fetched(data, 1)[0]);
	CHECK(cudaGetDeviceProperties(&prop, 0));
	CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, sum, 1024, 0));
	EXPECT(blocks > 0);
	GIVES(cudaErrorCooperativeLaunchTooLarge,
	      cudaLaunchCooperativeKernel(sum, dim3(blocks * prop.multiProcessorCount + 1), dim3(1024), args, 0, 0));
	return ok();
}
