// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes of kernels, and occupancy in all its forms.
#include "check.h"

__global__ void __launch_bounds__(128) run(float *data, int n)
{
	__shared__ float part[256];

	part[threadIdx.x] = n;
	__syncthreads();
	data[threadIdx.x] = part[threadIdx.x ^ 1];
}

int main()
{
	cudaFuncAttributes attributes;
	int blocks, grid, block;
	size_t shared, offset, size;

	CHECK(cudaFuncGetAttributes(&attributes, run));
	SAME(1024, attributes.sharedSizeBytes);
	SAME(128, attributes.maxThreadsPerBlock);
	EXPECT(attributes.numRegs > 0 && attributes.ptxVersion >= 75 && attributes.binaryVersion >= 75);
	CHECK(cudaFuncSetAttribute(run, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 << 10));
	CHECK(cudaFuncGetAttributes(&attributes, run));
	SAME(100 << 10, attributes.maxDynamicSharedSizeBytes);
	CHECK(cudaFuncSetAttribute(run, cudaFuncAttributePreferredSharedMemoryCarveout, 50));
	GIVES(cudaErrorInvalidValue, cudaFuncSetAttribute(run, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 30));
	CHECK(cudaFuncSetCacheConfig(run, cudaFuncCachePreferL1));
	CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, run, 128, 0));
	EXPECT(blocks > 1);
	CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, run, 64, 64 << 10, cudaOccupancyDefault));
	EXPECT(blocks >= 1 && blocks <= 3);
	CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, run, 0, 0));
	SAME(128, block);
	CHECK(cudaOccupancyAvailableDynamicSMemPerBlock(&shared, run, 2, 128));
	EXPECT(shared > 10 << 10);
	CHECK(cudaFuncGetParamInfo((const void *)run, 1, &offset, &size));
	SAME(8, offset);
	SAME(4, size);
	GIVES(cudaErrorInvalidResourceHandle, cudaFuncGetAttributes(&attributes, (const void *)main));
	return ok();
}
