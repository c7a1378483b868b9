// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pinned memory in its forms, and memory of the program that is registered.
#include "check.h"

__global__ void twice(int *data) { data[threadIdx.x] *= 2; }

int main()
{
	int *pinned, *mapped, *device, plain[32];
	unsigned flags;
	cudaPointerAttributes attributes;

	CHECK(cudaMallocHost(&pinned, 32 * sizeof(int)));
	CHECK(cudaHostAlloc(&mapped, 32 * sizeof(int), cudaHostAllocMapped | cudaHostAllocPortable));
	for (int i = 0; i < 32; i++)
		pinned[i] = mapped[i] = plain[i] = i;
	CHECK(cudaHostGetDevicePointer(&device, mapped, 0));
	twice<<<1, 32>>>(device);
	CHECK(cudaDeviceSynchronize());
	SAME(62, mapped[31]);
	CHECK(cudaHostGetFlags(&flags, mapped));
	EXPECT(flags & cudaHostAllocMapped);
	CHECK(cudaPointerGetAttributes(&attributes, pinned));
	SAME(cudaMemoryTypeHost, attributes.type);
	CHECK(cudaHostRegister(plain, sizeof(plain), cudaHostRegisterMapped));
	GIVES(cudaErrorHostMemoryAlreadyRegistered, cudaHostRegister(plain, sizeof(plain), 0));
	CHECK(cudaHostGetDevicePointer(&device, plain, 0));
	twice<<<1, 32>>>(device);
	CHECK(cudaDeviceSynchronize());
	SAME(62, plain[31]);
	CHECK(cudaHostUnregister(plain));
	GIVES(cudaErrorHostMemoryNotRegistered, cudaHostUnregister(plain));
	CHECK(cudaFreeHost(pinned));
	CHECK(cudaFreeHost(mapped));
	CHECK(cudaFreeHost(NULL));
	GIVES(cudaErrorInvalidValue, cudaFreeHost(plain));
	return ok();
}
