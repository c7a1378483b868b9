// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// z = x + y
extern "C" __global__ void vadd(const float *x, const float *y, float *z, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		z[i] = x[i] + y[i];
}
