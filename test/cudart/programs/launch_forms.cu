// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every way to launch: <<<>>>, cudaLaunchKernel, cudaLaunchKernelExC, handles of kernels and functions.
#include "check.h"

__global__ void add(int *data, int value) { atomicAdd(data, value); }

int main()
{
	int *data = zeroed<int>(1), value = 1;
	void *args[] = { &data, &value };
	cudaLaunchConfig_t config = {};
	cudaKernel_t kernel;
	cudaFunction_t function;
	const char *name;

	add<<<2, 4>>>(data, 1);
	add<<<dim3(1, 2, 2), dim3(2, 1, 1), 16>>>(data, 1);
	CHECK(cudaLaunchKernel((const void *)add, dim3(3), dim3(2), args, 0, 0));
	CHECK(cudaLaunchKernel(add, dim3(1), dim3(1), args));
	config.gridDim = dim3(2);
	config.blockDim = dim3(8);
	CHECK(cudaLaunchKernelExC(&config, (const void *)add, args));
	CHECK(cudaLaunchKernelEx(&config, add, data, 10));
	CHECK(cudaGetKernel(&kernel, add));
	CHECK(cudaLaunchKernel(kernel, dim3(1), dim3(5), args, 0, 0));
	CHECK(cudaGetFuncBySymbol(&function, (const void *)add));
	EXPECT(function != NULL);
	CHECK(cudaFuncGetName(&name, (const void *)add));
	EXPECT(name[0] == '_' || name[0] == 'a');
	CHECK(cudaDeviceSynchronize());
	SAME(8 + 8 + 6 + 1 + 16 + 160 + 5, taken(data));
	return ok();
}
