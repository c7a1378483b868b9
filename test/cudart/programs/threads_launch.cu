// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Eight threads whose first use races: launches, copies, symbols, and their own errors.
#include <thread>
#include <vector>

#include "check.h"

__device__ int total;

__global__ void add(int *data, int value)
{
	atomicAdd(data, value);
	atomicAdd(&total, 1);
}

static void work(int me)
{
	int *data, got;
	cudaStream_t stream;

	CHECK(cudaSetDevice(0));
	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMalloc(&data, sizeof(int)));
	CHECK(cudaMemsetAsync(data, 0, sizeof(int), stream));
	for (int i = 0; i < 50; i++)
		add<<<1, 4, 0, stream>>>(data, me);
	CHECK(cudaMemcpyAsync(&got, data, sizeof(int), cudaMemcpyDeviceToHost, stream));
	CHECK(cudaStreamSynchronize(stream));
	SAME(200 * me, got);
	if (me & 1)
		GIVES(cudaErrorInvalidValue, cudaMalloc(NULL, 1));
	SAME(me & 1 ? cudaErrorInvalidValue : cudaSuccess, cudaGetLastError());
	CHECK(cudaFree(data));
	CHECK(cudaStreamDestroy(stream));
}

int main()
{
	std::vector<std::thread> threads;
	int got;

	for (int i = 0; i < 8; i++)
		threads.emplace_back(work, i);
	for (auto &thread : threads)
		thread.join();
	CHECK(cudaMemcpyFromSymbol(&got, total, sizeof(got)));
	SAME(8 * 200, got);
	return ok();
}
