// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cudaMalloc, cudaMemset and cudaFree; sizes of 0; what cudaPointerGetAttributes says of each kind.
#include "check.h"

__global__ void add(int *data, int n)
{
	int i = thread_index();

	if (i < n)
		data[i] += i;
}

int main()
{
	enum { N = 1000 };
	int *data, local;
	void *nothing = &local;
	cudaPointerAttributes attributes;
	size_t before, after, total;

	CHECK(cudaMalloc(&data, N * sizeof(int)));
	CHECK(cudaMemset(data, 0, N * sizeof(int)));
	CHECK(cudaMemGetInfo(&before, &total));
	EXPECT(before < total);
	add<<<(N + 255) / 256, 256>>>(data, N);
	CHECK(cudaGetLastError());
	int *copy = fetched(data, N);
	for (int i = 0; i < N; i++)
		SAME(i, copy[i]);
	free(copy);
	CHECK(cudaMalloc(&nothing, 0));
	EXPECT(!nothing);
	CHECK(cudaFree(nothing));
	CHECK(cudaPointerGetAttributes(&attributes, data + 5));
	SAME(cudaMemoryTypeDevice, attributes.type);
	EXPECT(attributes.devicePointer == data + 5);
	CHECK(cudaPointerGetAttributes(&attributes, &local));
	SAME(cudaMemoryTypeUnregistered, attributes.type);
	CHECK(cudaFree(data));
	CHECK(cudaMemGetInfo(&after, &total));
	EXPECT(after >= before);
	GIVES(cudaErrorMemoryAllocation, cudaMalloc(&nothing, (size_t)1 << 50));
	GIVES(cudaErrorMemoryAllocation, cudaGetLastError());
	return ok();
}
