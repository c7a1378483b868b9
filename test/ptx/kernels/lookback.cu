// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scan in one pass: each block publishes its sum, then its prefix, and looks back at
// those in front of it. Blocks take their numbers from a ticket.

constexpr unsigned SUM = 1u << 30, PREFIX = 2u << 30, VALUE = SUM - 1;

__device__ unsigned ticket;
__device__ volatile unsigned state[64];

__device__ unsigned warp_scan(unsigned x)
{
	unsigned lane = threadIdx.x % 32;

#pragma unroll
	for (int d = 1; d < 32; d *= 2) {
		unsigned other = __shfl_up_sync(~0u, x, d);

		x += lane >= d ? other : 0;
	}
	return x;
}

// A warp looks at 32 blocks at a time, from the nearest on.
__device__ unsigned look_back(int block)
{
	unsigned lane = threadIdx.x, prefix = 0;

	for (int at = block - 1;; at -= 32) {
		int mine = at - (int)lane;
		unsigned s = PREFIX;

		if (mine >= 0)
			while (!((s = state[mine]) & (SUM | PREFIX)))
				;
		unsigned done = __ballot_sync(~0u, s & PREFIX);
		int last = __ffs(done) - 1;
		unsigned part = done && lane > last ? 0 : s & VALUE;

		for (int d = 16; d; d /= 2)
			part += __shfl_xor_sync(~0u, part, d);
		prefix += part;
		if (done)
			return prefix;
	}
}

extern "C" __global__ void lookback(const unsigned char *in, unsigned *out, int n)
{
	__shared__ unsigned block, sums[32], before;
	unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;

	if (threadIdx.x == 0)
		block = atomicAdd(&ticket, 1);
	__syncthreads();
	int i = block * blockDim.x + threadIdx.x;
	unsigned sum = warp_scan(i < n ? in[i] : 0);

	if (lane == 31)
		sums[warp] = sum;
	__syncthreads();
	if (warp == 0) {
		unsigned total = warp_scan(lane < blockDim.x / 32 ? sums[lane] : 0);
		unsigned all = __shfl_sync(~0u, total, 31);

		sums[lane] = total;
		if (lane == 0)
			state[block] = (block ? SUM : PREFIX) | all;
		__threadfence();
		if (block) {
			unsigned prefix = look_back(block);

			if (lane == 0)
				state[block] = PREFIX | (prefix + all);
			if (lane == 0)
				before = prefix;
		} else if (lane == 0) {
			before = 0;
		}
	}
	__syncthreads();
	if (i < n)
		out[i] = before + (warp ? sums[warp - 1] : 0) + sum;
}
