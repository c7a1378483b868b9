// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Managed memory and managed variables: the host reads what a kernel wrote, and the other way round.
#include "check.h"

__managed__ int counter = 3, list[4] = { 1, 2, 3, 4 };

__global__ void run(int *data, int n)
{
	int i = thread_index();

	if (i < n)
		data[i] += list[i & 3];
	if (!i)
		counter += n;
}

int main()
{
	cudaPointerAttributes attributes;
	cudaMemLocation here = { cudaMemLocationTypeDevice, 0 };
	int *data;

	SAME(3, counter);
	CHECK(cudaMallocManaged(&data, 100 * sizeof(int)));
	for (int i = 0; i < 100; i++)
		data[i] = i;
	list[0] = 10;
	CHECK(cudaMemAdvise(data, 400, cudaMemAdviseSetReadMostly, here));
	CHECK(cudaMemPrefetchAsync(data, 400, here, 0));
	run<<<1, 128>>>(data, 100);
	CHECK(cudaDeviceSynchronize());
	for (int i = 0; i < 100; i++)
		SAME(i + (i & 3 ? (i & 3) + 1 : 10), data[i]);
	SAME(103, counter);
	CHECK(cudaPointerGetAttributes(&attributes, data));
	SAME(cudaMemoryTypeManaged, attributes.type);
	CHECK(cudaPointerGetAttributes(&attributes, &counter));
	SAME(cudaMemoryTypeManaged, attributes.type);
	CHECK(cudaStreamAttachMemAsync(0, data, 0, cudaMemAttachGlobal));
	CHECK(cudaFree(data));
	CHECK(cudaMallocManaged(&data, 0));
	return ok();
}
