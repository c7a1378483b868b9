// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies in streams: in order in one, beside each other in two, with pinned and plain memory.
#include "check.h"

__global__ void add(int *data, int n, int value)
{
	for (int i = thread_index(); i < n; i += gridDim.x * blockDim.x)
		data[i] += value;
}

int main()
{
	enum { N = 1 << 14, STREAMS = 4 };
	cudaStream_t streams[STREAMS];
	int *host, *device, plain[16];

	CHECK(cudaMallocHost(&host, N * STREAMS * sizeof(int)));
	CHECK(cudaMalloc(&device, N * STREAMS * sizeof(int)));
	for (int i = 0; i < N * STREAMS; i++)
		host[i] = i;
	for (int s = 0; s < STREAMS; s++) {
		int *part = device + s * N;

		CHECK(cudaStreamCreateWithFlags(&streams[s], cudaStreamNonBlocking));
		CHECK(cudaMemcpyAsync(part, host + s * N, N * sizeof(int), cudaMemcpyHostToDevice, streams[s]));
		add<<<4, 128, 0, streams[s]>>>(part, N, s);
		add<<<2, 64, 0, streams[s]>>>(part, N, 10);
		CHECK(cudaMemcpyAsync(host + s * N, part, N * sizeof(int), cudaMemcpyDeviceToHost, streams[s]));
	}
	for (int s = 0; s < STREAMS; s++)
		CHECK(cudaStreamSynchronize(streams[s]));
	for (int i = 0; i < N * STREAMS; i++)
		SAME(i + i / N + 10, host[i]);
	CHECK(cudaMemset2DAsync(device, 64, 1, 8, 4, streams[0]));
	CHECK(cudaMemcpy2DAsync(plain, 8, device, 64, 8, 4, cudaMemcpyDeviceToHost, streams[0]));
	CHECK(cudaStreamSynchronize(streams[0]));
	SAME(0x01010101, plain[7]);
	for (int s = 0; s < STREAMS; s++)
		CHECK(cudaStreamDestroy(streams[s]));
	CHECK(cudaFreeHost(host));
	CHECK(cudaFree(device));
	return ok();
}
