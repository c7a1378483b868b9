// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counts bytes: shared atomics, then one global atomic per bin and block.

extern "C" __global__ void histogram(const unsigned char *in, unsigned n, unsigned *bins)
{
	__shared__ unsigned s[64];

	for (unsigned i = threadIdx.x; i < 64; i += blockDim.x)
		s[i] = 0;
	__syncthreads();
	for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		atomicAdd(&s[in[i] & 63], 1u);
	__syncthreads();
	for (unsigned i = threadIdx.x; i < 64; i += blockDim.x)
		atomicAdd(&bins[i], s[i]);
}
