// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sums of the rows of a matrix; wrong on purpose: see docs/debugging.md.
// nvcc -lineinfo -arch=sm_75 -ptx rowsum.cu
extern "C" __global__ void rowsum(const int *in, int *out, int height, int width)
{
	int row = blockIdx.x * blockDim.x + threadIdx.x;
	int sum = 0;

	if (row >= height)
		return;
#pragma unroll 1
	for (int column = 0; column < width; column++)
		sum += in[row * height + column];
	out[row] = sum;
}
