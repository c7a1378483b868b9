// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How soon each point leaves the circle of 2: lanes that need different numbers of rounds.
#include "long.h"

enum { N = 1024, MOST = 1000 };

__host__ __device__ static int rounds(float cx, float cy)
{
	float x = 0, y = 0;
	int i = 0;

	for (; i < MOST && x * x + y * y < 4; i++) {
		const float next = x * x - y * y + cx;

		y = 2 * x * y + cy;
		x = next;
	}
	return i;
}

__global__ void draw(int *out)
{
	const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;

	out[y * N + x] = rounds(-2 + x * (3.0f / N), -1.5f + y * (3.0f / N));
}

int main(int argc, char **argv)
{
	int *out = device(std::vector<int>(N * N)), inside = 0;

	timed("mandelbrot", argc, argv, [&] { draw<<<dim3(N / 32, N / 8), dim3(32, 8)>>>(out); });
	std::vector<int> got = host(out, N * N);
	for (int i = 0; i < N * N; i++)
		inside += got[i] == MOST;
	expect(inside * 9.0 / N / N, 1.51, 0.02, "mandelbrot, area");
}
