// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cuda::barrier, a pipeline and memcpy_async of libcu++.
#include <cuda/barrier>
#include <cuda/pipeline>

#include "check.h"

#pragma nv_diag_suppress static_var_with_dynamic_init


__global__ void run(const int *in, int *out)
{
	__shared__ cuda::barrier<cuda::thread_scope_block> barrier;
	__shared__ int part[64], sum;

	if (!threadIdx.x) {
		init(&barrier, blockDim.x);
		sum = 0;
	}
	__syncthreads();
	cuda::memcpy_async(part + threadIdx.x, in + threadIdx.x, sizeof(int), barrier);
	barrier.arrive_and_wait();
	out[threadIdx.x] = part[63 - threadIdx.x];
	atomicAdd(&sum, 1);
	barrier.arrive_and_wait();
	auto pipe = cuda::make_pipeline();
	pipe.producer_acquire();
	cuda::memcpy_async(part + threadIdx.x, in + 64 + threadIdx.x, sizeof(int), pipe);
	pipe.producer_commit();
	pipe.consumer_wait();
	out[64 + threadIdx.x] = part[threadIdx.x] + sum;
	pipe.consumer_release();
}

int main()
{
	int *in = zeroed<int>(128), *out = zeroed<int>(128), host[128], *got;

	for (int i = 0; i < 128; i++)
		host[i] = i;
	CHECK(cudaMemcpy(in, host, sizeof(host), cudaMemcpyHostToDevice));
	run<<<1, 64>>>(in, out);
	got = fetched(out, 128);
	for (int i = 0; i < 64; i++) {
		SAME(63 - i, got[i]);
		SAME(64 + i + 64, got[64 + i]);
	}
	return ok();
}
