// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes of managed ranges, prefetches to the host and back, in batches too.
#include "check.h"

int main()
{
	int *data, mostly = -1, where = -5;
	cudaMemLocation device = { cudaMemLocationTypeDevice, 0 }, host = { cudaMemLocationTypeHost, 0 };
	void *part;
	size_t size = 4096, first = 0;
	cudaStream_t stream;

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMallocManaged(&data, size));
	CHECK(cudaMemAdvise(data, size, cudaMemAdviseSetReadMostly, device));
	CHECK(cudaMemRangeGetAttribute(&mostly, sizeof(mostly), cudaMemRangeAttributeReadMostly, data, size));
	SAME(1, mostly);
	CHECK(cudaMemAdvise(data, size, cudaMemAdviseUnsetReadMostly, device));
	CHECK(cudaMemAdvise(data, size, cudaMemAdviseSetPreferredLocation, device));
	CHECK(cudaMemRangeGetAttribute(&where, sizeof(where), cudaMemRangeAttributePreferredLocation, data, size));
	SAME(0, where);
	CHECK(cudaMemPrefetchAsync(data, size, host, 0, stream));
	part = data;
	CHECK(cudaMemPrefetchBatchAsync(&part, &size, 1, &device, &first, 1, 0, stream));
	CHECK(cudaStreamSynchronize(stream));
	data[1000] = 5;
	SAME(5, data[1000]);
	GIVES(cudaErrorInvalidValue, cudaMemRangeGetAttribute(&where, 1, cudaMemRangeAttributeReadMostly, data, size));
	CHECK(cudaFree(data));
	CHECK(cudaStreamDestroy(stream));
	return ok();
}
