// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory in stream order: the default pool, a pool of one's own, its attributes and limits.
#include "check.h"

__global__ void fill(int *data, int value) { data[threadIdx.x] = value; }

int main()
{
	cudaMemPoolProps props = {};
	cudaMemPool_t pool, standard, current;
	cudaStream_t stream;
	unsigned long long threshold = 1 << 20, got;
	int *one, *two, host[64];

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMallocAsync(&one, 64 * sizeof(int), stream));
	fill<<<1, 64, 0, stream>>>(one, 5);
	CHECK(cudaMemcpyAsync(host, one, sizeof(host), cudaMemcpyDeviceToHost, stream));
	CHECK(cudaFreeAsync(one, stream));
	CHECK(cudaStreamSynchronize(stream));
	SAME(5, host[63]);
	props.allocType = cudaMemAllocationTypePinned;
	props.location.type = cudaMemLocationTypeDevice;
	CHECK(cudaMemPoolCreate(&pool, &props));
	CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
	CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &got));
	EXPECT(got == threshold);
	CHECK(cudaMallocFromPoolAsync(&two, 1 << 16, pool, stream));
	CHECK(cudaMemsetAsync(two, 0, 1 << 16, stream));
	CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &got));
	EXPECT(got >= 1 << 16);
	CHECK(cudaFreeAsync(two, stream));
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaMemPoolTrimTo(pool, 0));
	CHECK(cudaDeviceGetDefaultMemPool(&standard, 0));
	CHECK(cudaDeviceGetMemPool(&current, 0));
	EXPECT(standard == current);
	CHECK(cudaDeviceSetMemPool(0, pool));
	CHECK(cudaDeviceGetMemPool(&current, 0));
	EXPECT(current == pool);
	CHECK(cudaDeviceSetMemPool(0, standard));
	CHECK(cudaMemPoolDestroy(pool));
	CHECK(cudaStreamDestroy(stream));
	return ok();
}
