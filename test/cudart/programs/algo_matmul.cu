// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrices in tiles of shared memory, of blocks of 16x16 threads, with edges that do not fit.
#include "check.h"

enum { SIDE = 16 };

__global__ void multiply(const float *a, const float *b, float *c, int n)
{
	__shared__ float as[SIDE][SIDE], bs[SIDE][SIDE + 1];
	int row = blockIdx.y * SIDE + threadIdx.y, column = blockIdx.x * SIDE + threadIdx.x;
	float sum = 0;

	for (int t = 0; t < n; t += SIDE) {
		as[threadIdx.y][threadIdx.x] = row < n && t + threadIdx.x < n ? a[row * n + t + threadIdx.x] : 0;
		bs[threadIdx.y][threadIdx.x] = column < n && t + threadIdx.y < n ? b[(t + threadIdx.y) * n + column] : 0;
		__syncthreads();
		for (int k = 0; k < SIDE; k++)
			sum += as[threadIdx.y][k] * bs[k][threadIdx.x];
		__syncthreads();
	}
	if (row < n && column < n)
		c[row * n + column] = sum;
}

int main()
{
	enum { N = 75, BLOCKS = (N + SIDE - 1) / SIDE };
	static float a[N * N], b[N * N];
	float *da = zeroed<float>(N * N), *db = zeroed<float>(N * N), *dc = zeroed<float>(N * N), *c;

	for (int i = 0; i < N * N; i++) {
		a[i] = i % 7 - 3;
		b[i] = i % 5 - 2;
	}
	CHECK(cudaMemcpy(da, a, sizeof(a), cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(db, b, sizeof(b), cudaMemcpyHostToDevice));
	multiply<<<dim3(BLOCKS, BLOCKS), dim3(SIDE, SIDE)>>>(da, db, dc, N);
	CHECK(cudaGetLastError());
	c = fetched(dc, N * N);
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++) {
			float sum = 0;

			for (int k = 0; k < N; k++)
				sum += a[i * N + k] * b[k * N + j];
			SAME(sum, c[i * N + j]);
		}
	return ok();
}
