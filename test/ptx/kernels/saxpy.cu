// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// y = a x + y in a grid-stride loop, with a tail.

extern "C" __global__ void saxpy(float a, const float *x, float *y, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		y[i] = a * x[i] + y[i];
}
