/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A program for nvcc and clang: a kernel, two kinds of variables, printf, the device's name. */
#include <cstdio>

__constant__ int factor;
__device__ int ran;

__global__ void scale(int *a, int n)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		a[i] = a[i] * factor + 1;
	if (!i) {
		ran = 1;
		printf("from the kernel\n");
	}
}

int main()
{
	const int n = 1000, three = 3;
	int host[n], *device, wrong = 0, has_run = 0;
	cudaDeviceProp properties;

	for (int i = 0; i < n; i++)
		host[i] = i;
	cudaError_t error = cudaMalloc(&device, sizeof(host));
	if (error) {
		printf("cudaMalloc: %d\n", error);
		return 1;
	}
	cudaMemcpyToSymbol(factor, &three, sizeof(three));
	cudaMemcpy(device, host, sizeof(host), cudaMemcpyHostToDevice);
	scale<<<4, 256>>>(device, n);
	cudaMemcpy(host, device, sizeof(host), cudaMemcpyDeviceToHost);
	for (int i = 0; i < n; i++)
		wrong += host[i] != i * 3 + 1;
	cudaMemcpyFromSymbol(&has_run, ran, sizeof(has_run));
	cudaGetDeviceProperties(&properties, 0);
	printf("%d wrong, ran %d, %s: %s\n", wrong, has_run, properties.name,
	       cudaGetErrorName(cudaGetLastError()));
	return 0;
}
