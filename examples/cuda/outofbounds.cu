// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes one element past the end, the classic missing "if (i < n)". A GPU
// often lets it pass; the CPU device never does.
extern "C" __global__ void fill(int *x)
{
	x[blockIdx.x * blockDim.x + threadIdx.x + 1] = 1;
}
