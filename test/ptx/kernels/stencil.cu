// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A five-point stencil with a halo in shared memory.

extern "C" __global__ void stencil(const float *in, float *out, int n)
{
	__shared__ float t[64 + 4];
	int i = blockIdx.x * 64 + threadIdx.x, l = threadIdx.x + 2;

	t[l] = i < n ? in[i] : 0;
	if (threadIdx.x < 2) {
		t[l - 2] = i >= 2 ? in[i - 2] : 0;
		t[l + 64] = i + 64 < n ? in[i + 64] : 0;
	}
	__syncthreads();
	if (i < n)
		out[i] = t[l - 2] + 2 * t[l - 1] + 4 * t[l] + 2 * t[l + 1] + t[l + 2];
}
