// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inclusive prefix sums of one block, through shared memory and through shuffles.

extern "C" __global__ void scan(const int *in, int *out)
{
	__shared__ int a[256];
	int i = threadIdx.x;

	a[i] = in[i];
	for (int d = 1; d < 256; d *= 2) {
		__syncthreads();
		int t = i >= d ? a[i - d] : 0;
		__syncthreads();
		a[i] += t;
	}
	out[i] = a[i];
}

extern "C" __global__ void warp_scan(const int *in, int *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	int x = in[i];

	for (int d = 1; d < 32; d *= 2) {
		int t = __shfl_up_sync(0xffffffff, x, d);
		if (threadIdx.x % 32 >= d)
			x += t;
	}
	out[i] = x;
}
