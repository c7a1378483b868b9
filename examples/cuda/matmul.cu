// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// c = a * b, square matrices of n x n, n a multiple of the 16 x 16 tile.
#define TILE 16

extern "C" __global__ void __launch_bounds__(TILE * TILE)
matmul(const float *a, const float *b, float *c, int n)
{
	__shared__ float left[TILE][TILE], right[TILE][TILE];
	int row = blockIdx.y * TILE + threadIdx.y;
	int column = blockIdx.x * TILE + threadIdx.x;
	float sum = 0;

	for (int k = 0; k < n; k += TILE) {
		left[threadIdx.y][threadIdx.x] = a[row * n + k + threadIdx.x];
		right[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + column];
		__syncthreads();
		for (int i = 0; i < TILE; i++)
			sum += left[threadIdx.y][i] * right[i][threadIdx.x];
		__syncthreads();
	}
	c[row * n + column] = sum;
}
