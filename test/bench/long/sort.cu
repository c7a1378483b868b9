// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A bitonic sort: exchanges in shared memory where they are near, in global memory where not.
#include "long.h"

enum { N = 1 << 20, BLOCK = 512 };

__device__ static void exchange(unsigned &low, unsigned &high, bool up)
{
	if ((low > high) == up) {
		const unsigned keep = low;

		low = high;
		high = keep;
	}
}

__global__ void near_steps(unsigned *keys, int size, int begin)
{
	__shared__ unsigned part[2 * BLOCK];
	const int first = blockIdx.x * 2 * BLOCK;

	part[threadIdx.x] = keys[first + threadIdx.x];
	part[threadIdx.x + BLOCK] = keys[first + threadIdx.x + BLOCK];
	for (int all = size ? size : 2; all <= (size ? size : 2 * BLOCK); all *= 2) {
		for (int step = size ? begin : all / 2; step; step /= 2) {
			const int at = 2 * threadIdx.x - (threadIdx.x & (step - 1));

			__syncthreads();
			exchange(part[at], part[at + step], !((first + at) & all));
		}
	}
	__syncthreads();
	keys[first + threadIdx.x] = part[threadIdx.x];
	keys[first + threadIdx.x + BLOCK] = part[threadIdx.x + BLOCK];
}

__global__ void far_step(unsigned *keys, int size, int step)
{
	const int i = blockIdx.x * BLOCK + threadIdx.x, at = 2 * i - (i & (step - 1));

	exchange(keys[at], keys[at + step], !(at & size));
}

int main(int argc, char **argv)
{
	std::vector<unsigned> keys(N);

	for (int i = 0; i < N; i++)
		keys[i] = (unsigned)(random_part(i) * (1 << 24)) * 251 + i % 251;
	unsigned *on = device(keys);
	unsigned long long sum = 0;
	timed("sort", argc, argv, [&] {
		CALL(cudaMemcpy(on, keys.data(), N * sizeof(unsigned), cudaMemcpyHostToDevice));
		near_steps<<<N / BLOCK / 2, BLOCK>>>(on, 0, 0);
		for (int size = 4 * BLOCK; size <= N; size *= 2) {
			for (int step = size / 2; step > BLOCK; step /= 2)
				far_step<<<N / BLOCK / 2, BLOCK>>>(on, size, step);
			near_steps<<<N / BLOCK / 2, BLOCK>>>(on, size, BLOCK);
		}
	});
	std::vector<unsigned> got = host(on, N);
	for (int i = 0; i < N; i++) {
		sum += keys[i] - got[i];
		expect(i && got[i - 1] > got[i], 0, 0, "sort, order");
	}
	expect(sum & 0xffffffff, 0, 0, "sort, sum");
}
