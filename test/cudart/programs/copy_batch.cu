// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Many copies by one call, and a batch of three-dimensional ones.
#include "check.h"

int main()
{
	int host[3] = { 7, 8, 9 }, back[3] = {};
	int *device = zeroed<int>(3);
	cudaStream_t stream;

	CHECK(cudaStreamCreate(&stream));
	void *to[3];
	const void *from[3];
	size_t sizes[3] = { 4, 4, 4 }, first = 0;
	cudaMemcpyAttributes attributes = {};
	attributes.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
	for (int i = 0; i < 3; i++) {
		to[i] = device + 2 - i;
		from[i] = host + i;
	}
	CHECK(cudaMemcpyBatchAsync(to, from, sizes, 3, &attributes, &first, 1, stream));
	CHECK(cudaMemcpyAsync(back, device, sizeof(back), cudaMemcpyDeviceToHost, stream));
	CHECK(cudaStreamSynchronize(stream));
	SAME(9, back[0]);
	SAME(8, back[1]);
	SAME(7, back[2]);
	CHECK(cudaStreamDestroy(stream));
	return ok();
}
