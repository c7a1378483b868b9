// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conjugate gradients for the Laplacian of a square in compressed rows: sparse products and sums.
#include "long.h"

enum { SIDE = 512, N = SIDE * SIDE, BLOCK = 256, STEPS = 50 };

__global__ void product(const int *begin, const int *column, const float *value, const float *x, float *y)
{
	const int row = blockIdx.x * BLOCK + threadIdx.x;
	float sum = 0;

	for (int i = begin[row]; i < begin[row + 1]; i++)
		sum += value[i] * x[column[i]];
	y[row] = sum;
}

/* @parts: a sum of a[i] * b[i] for each block. */
__global__ void dot(const float *a, const float *b, float *parts)
{
	__shared__ float sums[BLOCK];
	const int i = blockIdx.x * BLOCK + threadIdx.x;

	sums[threadIdx.x] = a[i] * b[i];
	for (int step = BLOCK / 2; step; step /= 2) {
		__syncthreads();
		if (threadIdx.x < step)
			sums[threadIdx.x] += sums[threadIdx.x + step];
	}
	if (!threadIdx.x)
		parts[blockIdx.x] = sums[0];
}

/* y = a * x + b * y */
__global__ void combine(float a, const float *x, float b, float *y)
{
	const int i = blockIdx.x * BLOCK + threadIdx.x;

	y[i] = a * x[i] + b * y[i];
}

static double scalar(const float *a, const float *b, float *parts)
{
	double sum = 0;

	dot<<<N / BLOCK, BLOCK>>>(a, b, parts);
	for (float part : host(parts, N / BLOCK))
		sum += part;
	return sum;
}

int main(int argc, char **argv)
{
	std::vector<int> begin(1), column;
	std::vector<float> value, one(N, 1), nothing(N, 0);

	for (int row = 0; row < N; row++) {
		const int x = row % SIDE, y = row / SIDE;
		const int near[] = { y > 0 ? row - SIDE : -1, x > 0 ? row - 1 : -1, row,
				     x < SIDE - 1 ? row + 1 : -1, y < SIDE - 1 ? row + SIDE : -1 };

		for (int at : near) {
			if (at < 0)
				continue;
			column.push_back(at);
			value.push_back(at == row ? 4.1f : -1);
		}
		begin.push_back((int)column.size());
	}
	int *from = device(begin), *columns = device(column);
	float *values = device(value), *x = device(nothing), *r = device(one), *p = device(one);
	float *q = device(nothing), *parts = device(nothing), *check = device(one);
	timed("conjugate", argc, argv, [&] {
		CALL(cudaMemset(x, 0, N * sizeof(float)));
		CALL(cudaMemcpy(r, one.data(), N * sizeof(float), cudaMemcpyHostToDevice));
		CALL(cudaMemcpy(p, one.data(), N * sizeof(float), cudaMemcpyHostToDevice));
		double size = N;
		for (int i = 0; i < STEPS; i++) {
			product<<<N / BLOCK, BLOCK>>>(from, columns, values, p, q);
			const double step = size / scalar(p, q, parts);
			combine<<<N / BLOCK, BLOCK>>>((float)step, p, 1, x);
			combine<<<N / BLOCK, BLOCK>>>((float)-step, q, 1, r);
			const double next = scalar(r, r, parts);
			combine<<<N / BLOCK, BLOCK>>>(1, r, (float)(next / size), p);
			size = next;
		}
	});
	product<<<N / BLOCK, BLOCK>>>(from, columns, values, x, q);
	combine<<<N / BLOCK, BLOCK>>>(-1, q, 1, check);
	expect(sqrt(scalar(check, check, parts) / N), 0, 1e-3, "conjugate, rest");
}
