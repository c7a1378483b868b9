// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blocks that pass values on through volatile flags: producer, relay, consumer.

__device__ volatile int ready[2];
__device__ volatile int box[2][64];

extern "C" __global__ void flags(int *out)
{
	int i = threadIdx.x;

	if (blockIdx.x == 0) {
		box[0][i] = i * i;
		__threadfence();
		__syncthreads();
		if (i == 0)
			ready[0] = 1;
	} else {
		int from = blockIdx.x - 1;

		if (i == 0)
			while (!ready[from])
				;
		__syncthreads();
		int x = box[from][i] + 1;
		if (blockIdx.x == 2) {
			out[i] = x;
			return;
		}
		box[1][i] = x;
		__threadfence();
		__syncthreads();
		if (i == 0)
			ready[1] = 1;
	}
}
