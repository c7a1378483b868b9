// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sum by warp shuffles, shared memory and one atomic per block.

extern "C" __global__ void reduce(const unsigned *in, unsigned n, unsigned *sum)
{
	__shared__ unsigned part[32];
	unsigned x = 0;

	for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		x += in[i];
	for (int d = 16; d; d >>= 1)
		x += __shfl_down_sync(0xffffffff, x, d);
	if (threadIdx.x % 32 == 0)
		part[threadIdx.x / 32] = x;
	__syncthreads();
	if (threadIdx.x < 32) {
		x = threadIdx.x < blockDim.x / 32 ? part[threadIdx.x] : 0;
		for (int d = 16; d; d >>= 1)
			x += __shfl_xor_sync(0xffffffff, x, d);
		if (threadIdx.x == 0)
			atomicAdd(sum, x);
	}
}
