// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ten steps of heat that spreads, between two fields, on two streams with events.
#include <math.h>

#include <utility>

#include "check.h"

enum { N = 64 };

__global__ void step(const double *in, double *out, int first, int rows)
{
	int y = first + blockIdx.y, x = threadIdx.x;

	if (y < 1 || y >= N - 1 || x < 1 || x >= N - 1)
		return;
	out[y * N + x] = in[y * N + x] + 0.2 * (in[y * N + x - 1] + in[y * N + x + 1] + in[(y - 1) * N + x] +
						in[(y + 1) * N + x] - 4 * in[y * N + x]);
}

int main()
{
	static double now[N * N], next[N * N];
	double *a = zeroed<double>(N * N), *b = zeroed<double>(N * N), *got;
	cudaStream_t half[2];
	cudaEvent_t done[2];

	now[20 * N + 30] = 1000;
	for (int i = 0; i < 2; i++) {
		CHECK(cudaStreamCreate(&half[i]));
		CHECK(cudaEventCreateWithFlags(&done[i], cudaEventDisableTiming));
	}
	CHECK(cudaMemcpy(a, now, sizeof(now), cudaMemcpyHostToDevice));
	for (int t = 0; t < 10; t++) {
		for (int i = 0; i < 2; i++) {
			step<<<dim3(1, N / 2), N, 0, half[i]>>>(a, b, i * N / 2, N / 2);
			CHECK(cudaEventRecord(done[i], half[i]));
		}
		for (int i = 0; i < 2; i++)
			CHECK(cudaStreamWaitEvent(half[i], done[!i]));
		std::swap(a, b);
		for (int y = 1; y < N - 1; y++)
			for (int x = 1; x < N - 1; x++)
				next[y * N + x] = now[y * N + x] + 0.2 * (now[y * N + x - 1] + now[y * N + x + 1] +
					now[(y - 1) * N + x] + now[(y + 1) * N + x] - 4 * now[y * N + x]);
		std::swap(now, next);
	}
	CHECK(cudaDeviceSynchronize());
	got = fetched(a, N * N);
	for (int i = 0; i < N * N; i++)
		EXPECT(fabs(got[i] - now[i]) < 1e-9);
	for (int i = 0; i < 2; i++) {
		CHECK(cudaStreamDestroy(half[i]));
		CHECK(cudaEventDestroy(done[i]));
	}
	return ok();
}
