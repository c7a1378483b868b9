// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Heat that spreads over a plate, five points a step, from global memory.
#include "long.h"

enum { N = 1024, STEPS = 100 };

__global__ void spread(const float *from, float *to)
{
	const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;

	if (x == 0 || y == 0 || x >= N - 1 || y >= N - 1)
		return;
	const float middle = from[y * N + x];
	to[y * N + x] = middle + 0.2f * (from[y * N + x - 1] + from[y * N + x + 1] +
					 from[(y - 1) * N + x] + from[(y + 1) * N + x] - 4 * middle);
}

int main(int argc, char **argv)
{
	std::vector<float> plate(N * N);

	for (int i = 0; i < N * N; i++)
		plate[i] = random_part(i);
	float *a = device(plate), *b = device(plate);
	const dim3 block(32, 8), grid(N / 32, N / 8);
	timed("heat", argc, argv, [&] {
		for (int i = 0; i < STEPS; i += 2) {
			spread<<<grid, block>>>(a, b);
			spread<<<grid, block>>>(b, a);
		}
	});
	CALL(cudaMemcpy(a, plate.data(), N * N * sizeof(float), cudaMemcpyHostToDevice));
	spread<<<grid, block>>>(a, b);
	std::vector<float> got = host(b, N * N);
	for (int i = 1; i < N - 1; i++) {
		const float *p = &plate[i * N + i];

		expect(got[i * N + i], *p + 0.2 * ((double)p[-1] + p[1] + p[-N] + p[N] - 4.0 * *p), 1e-6, "heat");
	}
}
