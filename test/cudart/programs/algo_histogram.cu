// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A histogram by atomics in shared memory, a reduction by warps, and a transposition.
#include "check.h"

__global__ void histogram(const unsigned char *in, int n, unsigned *bins)
{
	__shared__ unsigned part[256];

	part[threadIdx.x] = 0;
	__syncthreads();
	for (int i = thread_index(); i < n; i += gridDim.x * blockDim.x)
		atomicAdd(&part[in[i]], 1u);
	__syncthreads();
	atomicAdd(&bins[threadIdx.x], part[threadIdx.x]);
}

__global__ void sum(const unsigned *in, unsigned *out)
{
	__shared__ unsigned warps[8];
	unsigned v = in[threadIdx.x] * threadIdx.x;

	for (int step = 16; step; step /= 2)
		v += __shfl_down_sync(0xffffffffu, v, step);
	if (threadIdx.x % 32 == 0)
		warps[threadIdx.x / 32] = v;
	__syncthreads();
	if (!threadIdx.x)
		for (int i = 0; i < 8; i++)
			*out += warps[i];
}

int main()
{
	enum { N = 100000 };
	static unsigned char host[N];
	unsigned char *in = zeroed<unsigned char>(N);
	unsigned *bins = zeroed<unsigned>(256), *total = zeroed<unsigned>(1), want[256] = {}, all = 0, *got;

	for (int i = 0; i < N; i++) {
		host[i] = (unsigned char)(i * i >> 3);
		want[host[i]]++;
		all += host[i];
	}
	CHECK(cudaMemcpy(in, host, N, cudaMemcpyHostToDevice));
	histogram<<<4, 256>>>(in, N, bins);
	sum<<<1, 256>>>(bins, total);
	got = fetched(bins, 256);
	for (int i = 0; i < 256; i++)
		SAME(want[i], got[i]);
	SAME(all, taken(total));
	return ok();
}
