// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A scan in one pass: each block looks back at what the blocks before it have published.
#include <cub/cub.cuh>
//: seeds 20

#include <vector>

#include "check.h"

int main()
{
	const int n = 1 << 18;
	std::vector<int> host(n);
	int *in = zeroed<int>(n), *out = zeroed<int>(n), sum = 0;
	void *space = NULL;
	size_t size = 0;

	for (int i = 0; i < n; i++)
		host[i] = (i * 7919) % 13 - 6;
	CHECK(cudaMemcpy(in, host.data(), n * sizeof(int), cudaMemcpyHostToDevice));
	CHECK(cub::DeviceScan::InclusiveSum(space, size, in, out, n));
	CHECK(cudaMalloc(&space, size));
	CHECK(cub::DeviceScan::InclusiveSum(space, size, in, out, n));
	int *got = fetched(out, n);
	for (int i = 0; i < n; i++)
		SAME(sum += host[i], got[i]);
	CHECK(cudaFree(space));
	return ok();
}
