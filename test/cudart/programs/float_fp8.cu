// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers of 8 bits, both forms: conversions there and back, what does not fit, and NaN.
#include <cuda_fp8.h>
#include <math.h>

#include "check.h"

__global__ void run(const float *in, float *out, int n)
{
	int i = thread_index();

	if (i < n) {
		out[i] = float(__nv_fp8_e4m3(in[i]));
		out[n + i] = float(__nv_fp8_e5m2(in[i]));
		out[2 * n + i] = float(__half(__nv_fp8_e4m3(__half(in[i]))));
	}
}

int main()
{
	static const float in[] = { 0, 1, -1.0625f, 1.0625f, 17, 300, 1000, 1e6f, 0.001953125f, -0.01f, NAN };
	enum { N = sizeof(in) / sizeof(in[0]) };
	float *from = zeroed<float>(N), *to = zeroed<float>(3 * N), *got;

	CHECK(cudaMemcpy(from, in, sizeof(in), cudaMemcpyHostToDevice));
	run<<<1, 32>>>(from, to, N);
	got = fetched(to, 3 * N);
	for (int i = 0; i < N; i++) {
		float wide = float(__nv_fp8_e4m3(in[i])), small = float(__nv_fp8_e5m2(in[i]));

		EXPECT(isnan(wide) ? isnan(got[i]) : wide == got[i]);
		EXPECT(isnan(small) ? isnan(got[N + i]) : small == got[N + i]);
		EXPECT(isnan(wide) ? isnan(got[2 * N + i]) : wide == got[2 * N + i]);
	}
	SAME(448, got[6]);
	SAME(57344, got[N + 7]);
	return ok();
}
