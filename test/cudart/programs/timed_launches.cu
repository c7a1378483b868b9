// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches between copies, in two streams. "timed_launches COUNT" also prints the microseconds of each
// by events, a line each; the kernel goes round COUNT times, the first time, when it is also loaded, once.
#include "check.h"

__global__ void spin(unsigned *data, int count)
{
	unsigned value = data[threadIdx.x];

	for (int i = 0; i < count; i++)
		value = value * 1664525 + 1013904223;
	data[threadIdx.x] = value;
}

static unsigned spun(unsigned value, int count)
{
	while (count-- > 0)
		value = value * 1664525 + 1013904223;
	return value;
}

int main(int argc, char **argv)
{
	const int most = argc > 1 ? atoi(argv[1]) : 1000;
	unsigned host[32], back[32], *data = zeroed<unsigned>(32);
	cudaEvent_t start, end;
	cudaStream_t streams[2];
	float ms;

	CHECK(cudaEventCreate(&start));
	CHECK(cudaEventCreate(&end));
	for (int i = 0; i < 2; i++)
		CHECK(cudaStreamCreate(&streams[i]));
	for (unsigned i = 0; i < 32; i++)
		host[i] = i;
	for (int i = 0; i < 4; i++) {
		const cudaStream_t stream = streams[i % 2];
		const int count = i ? most : 1;

		CHECK(cudaMemcpyAsync(data, host, sizeof(host), cudaMemcpyHostToDevice, stream));
		CHECK(cudaEventRecord(start, stream));
		spin<<<1, 32, 0, stream>>>(data, count);
		CHECK(cudaGetLastError());
		CHECK(cudaEventRecord(end, stream));
		CHECK(cudaMemcpyAsync(back, data, sizeof(back), cudaMemcpyDeviceToHost, stream));
		CHECK(cudaStreamSynchronize(stream));
		CHECK(cudaEventElapsedTime(&ms, start, end));
		if (argc > 1)
			printf("%.3f\n", (double)ms * 1000);
		SAME(spun(5, count), back[5]);
	}
	CHECK(cudaEventDestroy(start));
	CHECK(cudaEventDestroy(end));
	for (int i = 0; i < 2; i++)
		CHECK(cudaStreamDestroy(streams[i]));
	return ok();
}
