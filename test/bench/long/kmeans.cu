// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// k-means: distances to all centres, and atomics that count and sum.
#include "long.h"

enum { POINTS = 1 << 18, CENTRES = 64, BLOCK = 256 };

__global__ void assign(const float2 *points, const float2 *centres, unsigned *counts, float *x, float *y)
{
	__shared__ float2 near[CENTRES];
	__shared__ unsigned count[CENTRES];
	__shared__ float sum_x[CENTRES], sum_y[CENTRES];
	const float2 point = points[blockIdx.x * BLOCK + threadIdx.x];
	float least = INFINITY;
	int best = 0;

	if (threadIdx.x < CENTRES) {
		near[threadIdx.x] = centres[threadIdx.x];
		count[threadIdx.x] = 0;
		sum_x[threadIdx.x] = sum_y[threadIdx.x] = 0;
	}
	__syncthreads();
	for (int i = 0; i < CENTRES; i++) {
		const float dx = point.x - near[i].x, dy = point.y - near[i].y, far = dx * dx + dy * dy;

		if (far < least) {
			least = far;
			best = i;
		}
	}
	atomicAdd(&count[best], 1u);
	atomicAdd(&sum_x[best], point.x);
	atomicAdd(&sum_y[best], point.y);
	__syncthreads();
	if (threadIdx.x < CENTRES) {
		atomicAdd(&counts[threadIdx.x], count[threadIdx.x]);
		atomicAdd(&x[threadIdx.x], sum_x[threadIdx.x]);
		atomicAdd(&y[threadIdx.x], sum_y[threadIdx.x]);
	}
}

__global__ void centre(float2 *centres, const unsigned *counts, const float *x, const float *y)
{
	const int i = threadIdx.x;

	if (counts[i])
		centres[i] = float2{ x[i] / counts[i], y[i] / counts[i] };
}

int main(int argc, char **argv)
{
	std::vector<float2> points(POINTS), first(CENTRES);
	unsigned total = 0;

	for (int i = 0; i < POINTS; i++)
		points[i] = { random_part(2 * i), random_part(2 * i + 1) };
	for (int i = 0; i < CENTRES; i++)
		first[i] = points[i * 31];
	float2 *on = device(points), *centres = device(first);
	unsigned *counts = device(std::vector<unsigned>(CENTRES));
	float *x = device(std::vector<float>(CENTRES)), *y = device(std::vector<float>(CENTRES));
	timed("kmeans", argc, argv, [&] {
		CALL(cudaMemset(counts, 0, CENTRES * sizeof(unsigned)));
		CALL(cudaMemset(x, 0, CENTRES * sizeof(float)));
		CALL(cudaMemset(y, 0, CENTRES * sizeof(float)));
		assign<<<POINTS / BLOCK, BLOCK>>>(on, centres, counts, x, y);
		centre<<<1, CENTRES>>>(centres, counts, x, y);
	});
	for (unsigned count : host(counts, CENTRES))
		total += count;
	expect(total, POINTS, 0, "kmeans, points");
}
