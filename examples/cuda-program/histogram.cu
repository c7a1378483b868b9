// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// histogram COUNT: counts the bytes of a buffer on the device, and again on the host.
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int values = 256;

__constant__ unsigned char mask;

__global__ void histogram(const unsigned char *data, int count, unsigned *counts)
{
	__shared__ unsigned here[values];

	for (int i = threadIdx.x; i < values; i += blockDim.x)
		here[i] = 0;
	__syncthreads();
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
		atomicAdd(&here[data[i] & mask], 1u);
	__syncthreads();
	for (int i = threadIdx.x; i < values; i += blockDim.x)
		atomicAdd(&counts[i], here[i]);
}

static void check(cudaError_t result, const char *what)
{
	if (result == cudaSuccess)
		return;
	fprintf(stderr, "%s: %s: %s\n", what, cudaGetErrorName(result), cudaGetErrorString(result));
	exit(1);
}
#define CHECK(call) check(call, #call)

int main(int argc, char **argv)
{
	int count = argc == 2 ? atoi(argv[1]) : 0;

	if (count <= 0) {
		puts("usage: histogram COUNT");
		return 2;
	}

	const unsigned char low = 0x3f;
	std::vector<unsigned char> data(count);
	std::vector<unsigned> counts(values), want(values);
	for (int i = 0; i < count; i++) {
		data[i] = static_cast<unsigned char>(i * 7 + i / 300);
		want[data[i] & low]++;
	}

	unsigned char *device;
	unsigned *device_counts;
	CHECK(cudaMalloc(&device, count));
	CHECK(cudaMalloc(&device_counts, values * sizeof(unsigned)));
	CHECK(cudaMemcpyToSymbol(mask, &low, sizeof(low)));
	CHECK(cudaMemcpy(device, data.data(), count, cudaMemcpyHostToDevice));
	CHECK(cudaMemset(device_counts, 0, values * sizeof(unsigned)));
	histogram<<<8, 128>>>(device, count, device_counts);
	CHECK(cudaGetLastError());
	CHECK(cudaMemcpy(counts.data(), device_counts, values * sizeof(unsigned),
			 cudaMemcpyDeviceToHost));
	CHECK(cudaFree(device_counts));
	CHECK(cudaFree(device));

	printf("%s\n", counts == want ? "right" : "wrong");
	return counts == want ? 0 : 1;
}
