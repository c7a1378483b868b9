// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches that cannot be, and that the last error tells of them once.
#include "check.h"

__global__ void __launch_bounds__(64) bounded(int *data) { data[threadIdx.x] = 1; }
__global__ void plain(int *data) { data[threadIdx.x] = 1; }
static void no_kernel(int *) {}

int main()
{
	int *data = zeroed<int>(64);
	void *args[] = { &data };

	plain<<<0, 32>>>(data);
	GIVES(cudaErrorInvalidValue, cudaPeekAtLastError());
	GIVES(cudaErrorInvalidValue, cudaGetLastError());
	SAME(cudaSuccess, cudaGetLastError());
	plain<<<1, 0>>>(data);
	GIVES(cudaErrorInvalidValue, cudaGetLastError());
	plain<<<1, 1025>>>(data);
	GIVES(cudaErrorInvalidValue, cudaGetLastError());
	plain<<<dim3(1, 65536), 1>>>(data);
	GIVES(cudaErrorInvalidValue, cudaGetLastError());
	GIVES(cudaErrorInvalidResourceHandle, cudaLaunchKernel((const void *)no_kernel, dim3(1), dim3(1), args, 0, 0));
	GIVES(cudaErrorInvalidResourceHandle, cudaGetLastError());
	bounded<<<1, 65>>>(data);
	EXPECT(cudaGetLastError() != cudaSuccess);
	bounded<<<1, 64>>>(data);
	CHECK(cudaGetLastError());
	CHECK(cudaDeviceSynchronize());
	SAME(1, fetched(data, 64)[63]);
	return ok();
}
