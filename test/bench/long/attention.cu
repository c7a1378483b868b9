// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention of one head, with the softmax computed while keys are read: dots, maxima, exponentials.
#include "long.h"

enum { N = 2048, WIDTH = 32, BLOCK = 64 };

__global__ void attend(const float *q, const float *k, const float *v, float *out)
{
	__shared__ float keys[BLOCK][WIDTH], values[BLOCK][WIDTH];
	const int row = blockIdx.x * BLOCK + threadIdx.x;
	float query[WIDTH], sum[WIDTH], most = -INFINITY, total = 0;

	for (int i = 0; i < WIDTH; i++) {
		query[i] = q[row * WIDTH + i];
		sum[i] = 0;
	}
	for (int at = 0; at < N; at += BLOCK) {
		__syncthreads();
		for (int i = threadIdx.x; i < BLOCK * WIDTH; i += BLOCK) {
			keys[i / WIDTH][i % WIDTH] = k[at * WIDTH + i];
			values[i / WIDTH][i % WIDTH] = v[at * WIDTH + i];
		}
		__syncthreads();
		for (int j = 0; j < BLOCK; j++) {
			float dot = 0;

			for (int i = 0; i < WIDTH; i++)
				dot += query[i] * keys[j][i];
			const float next = fmaxf(most, dot), old = __expf(most - next), weight = __expf(dot - next);

			total = total * old + weight;
			for (int i = 0; i < WIDTH; i++)
				sum[i] = sum[i] * old + weight * values[j][i];
			most = next;
		}
	}
	for (int i = 0; i < WIDTH; i++)
		out[row * WIDTH + i] = sum[i] / total;
}

int main(int argc, char **argv)
{
	std::vector<float> q(N * WIDTH), k(N * WIDTH), v(N * WIDTH);

	for (int i = 0; i < N * WIDTH; i++) {
		q[i] = random_part(i) - 0.5f;
		k[i] = random_part(i + N * WIDTH) - 0.5f;
		v[i] = random_part(i + 2 * N * WIDTH);
	}
	float *dq = device(q), *dk = device(k), *dv = device(v), *out = device(v);
	timed("attention", argc, argv, [&] { attend<<<N / BLOCK, BLOCK>>>(dq, dk, dv, out); });
	std::vector<float> got = host(out, N * WIDTH);
	for (int row = 5; row < N; row += 257) {
		double sum = 0, total = 0;

		for (int j = 0; j < N; j++) {
			double dot = 0;

			for (int i = 0; i < WIDTH; i++)
				dot += (double)q[row * WIDTH + i] * k[j * WIDTH + i];
			total += exp(dot);
			sum += exp(dot) * v[j * WIDTH + 3];
		}
		expect(got[row * WIDTH + 3], sum / total, 1e-4, "attention");
	}
}
