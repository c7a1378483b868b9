// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The price of an option by random paths: logarithms, cosines, exponentials, sums by shuffles.
#include "long.h"

enum { PATHS = 1 << 16, STEPS = 64, BLOCK = 256 };

__global__ void walk(unsigned seed, float rate, float volatility, float *sums)
{
	unsigned state = (blockIdx.x * BLOCK + threadIdx.x) * 747796405u + seed;
	float price = 0, sum = 0;

	for (int path = 0; path < 4; path++) {
		price = 0;
		for (int i = 0; i < STEPS / 2; i++) {
			float u, v, radius;

			state = state * 1664525u + 1013904223u;
			u = ((state >> 8) + 0.5f) / (1 << 24);
			state = state * 1664525u + 1013904223u;
			v = (state >> 8) * (6.2831853f / (1 << 24));
			radius = sqrtf(-2 * __logf(u));
			price += volatility * radius * (__cosf(v) + __sinf(v)) + 2 * rate;
		}
		sum += fmaxf(100 * __expf(price) - 100, 0);
	}
	for (int step = 16; step; step /= 2)
		sum += __shfl_xor_sync(0xffffffffu, sum, step);
	if (threadIdx.x % 32 == 0)
		sums[(blockIdx.x * BLOCK + threadIdx.x) / 32] = sum;
}

int main(int argc, char **argv)
{
	const double years = 1, rate = 0.03, volatility = 0.2, step = years / STEPS;
	const double d = (rate + volatility * volatility / 2) * years / volatility / sqrt(years);
	float *sums = device(std::vector<float>(PATHS / 32));
	double sum = 0;

	timed("options", argc, argv, [&] {
		walk<<<PATHS / BLOCK, BLOCK>>>(1, (float)((rate - volatility * volatility / 2) * step),
					       (float)(volatility * sqrt(step)), sums);
	});
	for (float part : host(sums, PATHS / 32))
		sum += part;
	const double want = 100 * (erfc(-d / sqrt(2)) / 2) -
			    100 * exp(-rate * years) * erfc(-(d - volatility * sqrt(years)) / sqrt(2)) / 2;
	expect(sum / PATHS / 4 * exp(-rate * years), want, 0.02, "options");
}
