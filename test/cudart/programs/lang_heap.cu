// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// malloc, free, new, delete and virtual functions in kernels.
#include "check.h"

struct shape {
	__device__ virtual ~shape() {}
	__device__ virtual int area() const = 0;
};

struct square : shape {
	int side;
	__device__ square(int side) : side(side) {}
	__device__ int area() const override { return side * side; }
};

struct bar : shape {
	int length;
	__device__ bar(int length) : length(length) {}
	__device__ int area() const override { return length; }
};

__global__ void run(int *out)
{
	int i = thread_index();
	shape *one = i & 1 ? (shape *)new square(i) : (shape *)new bar(i);
	int *list = (int *)malloc(sizeof(int) * (i + 1));

	for (int k = 0; k <= i; k++)
		list[k] = k;
	out[i] = one->area() + list[i];
	free(list);
	delete one;
}

int main()
{
	int *out = zeroed<int>(100);
	size_t size;

	CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 16 << 20));
	CHECK(cudaDeviceGetLimit(&size, cudaLimitMallocHeapSize));
	EXPECT(size >= 16 << 20);
	run<<<2, 50>>>(out);
	int *got = fetched(out, 100);
	for (int i = 0; i < 100; i++)
		SAME((i & 1 ? i * i : i) + i, got[i]);
	return ok();
}
