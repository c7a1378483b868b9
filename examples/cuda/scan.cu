// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// out[i] = x[0] + ... + x[i] within each block of up to 1024: shuffles inside a
// warp, shared memory between warps.
extern "C" __global__ void scan(const int *x, int *out)
{
	__shared__ int totals[32];
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
	int value = x[i];

	for (int step = 1; step < 32; step *= 2) {
		int other = __shfl_up_sync(0xffffffff, value, step);

		if (lane >= step)
			value += other;
	}
	if (lane == 31)
		totals[warp] = value;
	__syncthreads();
	for (int before = 0; before < warp; before++)
		value += totals[before];
	out[i] = value;
}
