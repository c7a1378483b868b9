// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// C = A B in tiles of shared memory.

extern "C" __global__ void matmul(const float *a, const float *b, float *c, int n)
{
	__shared__ float sa[8][8], sb[8][8];
	int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
	float sum = 0;

	for (int t = 0; t < n; t += 8) {
		sa[threadIdx.y][threadIdx.x] = a[y * n + t + threadIdx.x];
		sb[threadIdx.y][threadIdx.x] = b[(t + threadIdx.y) * n + x];
		__syncthreads();
		for (int k = 0; k < 8; k++)
			sum += sa[threadIdx.y][k] * sb[k][threadIdx.x];
		__syncthreads();
	}
	c[y * n + x] = sum;
}
