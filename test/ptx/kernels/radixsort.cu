// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LSD radix sort of 4-bit digits by one block: ranks from ballots, digits from a scan.

constexpr int BITS = 4, DIGITS = 1 << BITS, WARPS = 8;

// What the lanes below with the same digit count, and all of them.
__device__ unsigned peers(unsigned digit, bool valid)
{
	unsigned mask = __ballot_sync(~0u, valid);

	for (int b = 0; b < BITS; b++) {
		unsigned set = __ballot_sync(~0u, digit >> b & 1);

		mask &= digit >> b & 1 ? set : ~set;
	}
	return mask;
}

extern "C" __global__ void __launch_bounds__(WARPS * 32)
	radixsort(unsigned *keys, unsigned *spare, int n)
{
	__shared__ unsigned counts[DIGITS][WARPS], total[DIGITS], offset[DIGITS];
	unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;

	for (int shift = 0; shift < 32; shift += BITS) {
		if (threadIdx.x < DIGITS)
			total[threadIdx.x] = 0;
		__syncthreads();
		for (int i = threadIdx.x; i < n; i += blockDim.x)
			atomicAdd(&total[keys[i] >> shift & (DIGITS - 1)], 1);
		__syncthreads();
		if (threadIdx.x < DIGITS) {
			unsigned own = total[threadIdx.x], sum = own;

			for (int d = 1; d < DIGITS; d *= 2) {
				unsigned other = __shfl_up_sync(0xffff, sum, d, DIGITS);

				sum += threadIdx.x >= d ? other : 0;
			}
			offset[threadIdx.x] = sum - own;
		}
		__syncthreads();
		for (int base = 0; base < n; base += blockDim.x) {
			int i = base + threadIdx.x;
			bool valid = i < n;
			unsigned key = valid ? keys[i] : 0, digit = key >> shift & (DIGITS - 1);

			if (lane < DIGITS)
				counts[lane][warp] = 0;
			__syncwarp();
			unsigned same = peers(digit, valid);
			unsigned rank = __popc(same & ((1u << lane) - 1));

			if (valid && rank == 0)
				counts[digit][warp] = __popc(same);
			__syncthreads();
			if (threadIdx.x < DIGITS) {
				unsigned sum = offset[threadIdx.x];

				for (int w = 0; w < WARPS; w++) {
					unsigned c = counts[threadIdx.x][w];

					counts[threadIdx.x][w] = sum;
					sum += c;
				}
				offset[threadIdx.x] = sum;
			}
			__syncthreads();
			if (valid)
				spare[counts[digit][warp] + rank] = key;
			__syncthreads();
		}
		unsigned *t = keys;
		keys = spare;
		spare = t;
	}
}
