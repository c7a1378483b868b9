// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Floats of 8 bits and complex numbers, behind pointers and by value.
#include <cuComplex.h>
#include <cuda/std/complex>
#include <cuda_fp8.h>

__global__ void quarters(const __nv_fp8_e4m3 *x, __nv_fp8_e5m2 *y, __nv_fp8_e4m3 add, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		y[i] = __nv_fp8_e5m2(float(x[i]) + float(add));
}

__global__ void multiply(const cuFloatComplex *x, cuda::std::complex<float> *y, float2 by,
			 double2 *last)
{
	int i = threadIdx.x;
	cuFloatComplex product = cuCmulf(x[i], by);

	y[i] = cuda::std::complex<float>(product.x, product.y);
	*last = make_double2(product.x, product.y);
}

__constant__ cuda::std::complex<double> factor;
__global__ void power(cuda::std::complex<double> by, cuda::std::complex<double> *y)
{
	y[threadIdx.x] = by * factor;
}
