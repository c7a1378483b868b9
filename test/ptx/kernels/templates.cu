// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One source, a kernel per type and size; the names are mangled.

template <typename T, int N> __global__ void poly(const T *in, T *out)
{
	T x = in[threadIdx.x], y = 0;

#pragma unroll
	for (int k = N; k >= 0; k--)
		y = y * x + T(k + 1);
	out[threadIdx.x] = y;
}

template __global__ void poly<int, 3>(const int *, int *);
template __global__ void poly<double, 4>(const double *, double *);
template __global__ void poly<unsigned char, 2>(const unsigned char *, unsigned char *);
