// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// *sum += the sum of x[0 .. n): a tree in shared memory, one atomic add per block.
// A template, so that its kernels have C++ names.
template <typename T> __global__ void reduce(const T *x, T *sum, int n)
{
	__shared__ T part[256];
	T own = 0;

	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		own += x[i];
	part[threadIdx.x] = own;
	__syncthreads();
	for (unsigned half = blockDim.x / 2; half; half /= 2) {
		if (threadIdx.x < half)
			part[threadIdx.x] += part[threadIdx.x + half];
		__syncthreads();
	}
	if (threadIdx.x == 0)
		atomicAdd(sum, part[0]);
}

template __global__ void reduce<float>(const float *, float *, int);
template __global__ void reduce<int>(const int *, int *, int);
