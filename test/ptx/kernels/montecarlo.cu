// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Points in the quarter circle, by a generator of integers per thread.

extern "C" __global__ void montecarlo(unsigned long long *inside, int rounds)
{
	unsigned s = blockIdx.x * blockDim.x + threadIdx.x + 1;
	unsigned long long hits = 0;

	for (int k = 0; k < rounds; k++) {
		s ^= s << 13, s ^= s >> 17, s ^= s << 5;
		unsigned x = s >> 16;
		s ^= s << 13, s ^= s >> 17, s ^= s << 5;
		unsigned y = s >> 16;
		hits += (unsigned long long)x * x + (unsigned long long)y * y < 1ull << 32;
	}
	atomicAdd(inside, hits);
}
