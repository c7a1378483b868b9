// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies of a group into shared memory that run on beside it.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>

#include "check.h"

namespace cg = cooperative_groups;

__global__ void run(const int *in, int *out)
{
	__shared__ int part[2][128];
	cg::thread_block block = cg::this_thread_block();

	cg::memcpy_async(block, part[0], in, sizeof(part[0]));
	cg::memcpy_async(block, part[1], in + 128, sizeof(part[1]));
	cg::wait_prior<1>(block);
	out[threadIdx.x] = part[0][127 - threadIdx.x];
	cg::wait(block);
	out[128 + threadIdx.x] = part[1][threadIdx.x] + 1;
}

int main()
{
	int *in = zeroed<int>(256), *out = zeroed<int>(256), host[256], *got;

	for (int i = 0; i < 256; i++)
		host[i] = i;
	CHECK(cudaMemcpy(in, host, sizeof(host), cudaMemcpyHostToDevice));
	run<<<1, 128>>>(in, out);
	got = fetched(out, 256);
	for (int i = 0; i < 256; i++)
		SAME(i < 128 ? 127 - i : i + 1, got[i]);
	return ok();
}
