// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A product of matrices in tiles of 16x16 in shared memory.
#include "long.h"

enum { N = 1024, TILE = 16 };

__global__ void multiply(const float *a, const float *b, float *c)
{
	__shared__ float left[TILE][TILE], right[TILE][TILE];
	const int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
	float sum = 0;

	for (int at = 0; at < N; at += TILE) {
		left[threadIdx.y][threadIdx.x] = a[y * N + at + threadIdx.x];
		right[threadIdx.y][threadIdx.x] = b[(at + threadIdx.y) * N + x];
		__syncthreads();
		for (int k = 0; k < TILE; k++)
			sum += left[threadIdx.y][k] * right[k][threadIdx.x];
		__syncthreads();
	}
	c[y * N + x] = sum;
}

int main(int argc, char **argv)
{
	std::vector<float> a(N * N), b(N * N);

	for (int i = 0; i < N * N; i++) {
		a[i] = random_part(i);
		b[i] = random_part(i + N * N);
	}
	float *da = device(a), *db = device(b), *dc = device(a);
	timed("matmul", argc, argv, [&] {
		multiply<<<dim3(N / TILE, N / TILE), dim3(TILE, TILE)>>>(da, db, dc);
	});
	std::vector<float> c = host(dc, N * N);
	for (int i = 0; i < 64; i++) {
		const int y = i * 16 + 3, x = i * 7 + 1;
		double want = 0;

		for (int k = 0; k < N; k++)
			want += (double)a[y * N + k] * b[k * N + x];
		expect(c[y * N + x], want, 1e-5, "matmul");
	}
}
