// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// blocksum: the sum of 256 numbers by one block, compared with the host's. Wrong on purpose: the
// README finds out where, and line 16 is what it needs.
#include <cstdio>

__global__ void blocksum(const int *in, int *out)
{
	__shared__ int part[256];
	int i = threadIdx.x;

	part[i] = in[i];
	__syncthreads();
	for (int half = 128; half > 0; half /= 2) {
		if (i < half)
			part[i] += part[i + half];
		// __syncthreads();
	}
	if (i == 0)
		*out = part[0];
}

int main()
{
	int want = 0, *in, *out;

	cudaMallocManaged(&in, 256 * sizeof(*in));
	cudaMallocManaged(&out, sizeof(*out));
	for (int i = 0; i < 256; i++)
		want += in[i] = i;
	blocksum<<<1, 256>>>(in, out);
	cudaDeviceSynchronize();
	printf("%s: got %d, want %d\n", *out == want ? "passed" : "FAILED", *out, want);
	return *out != want;
}
