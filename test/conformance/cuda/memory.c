/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Memory: allocation, copies in every direction, fills, and what is refused. */
#include "cuda_kernels.h"

#define COUNT 1000
#define SIZE (COUNT * sizeof(unsigned))
#define LARGE ((size_t)8 << 20)

static CUdeviceptr alloc(size_t size)
{
	CUdeviceptr address = 0;

	OK_CU(cu.cuMemAlloc(&address, size));
	CHECK(address && address % 256 == 0);
	return address;
}

static void test_alloc(void)
{
	CUdeviceptr address = 0;
	CUdeviceptr one = alloc(1), two = alloc(1);

	CHECK(one != two);
	CHECK_CU(cu.cuMemAlloc(&address, 0), CUDA_ERROR_INVALID_VALUE);
	CHECK_CU(cu.cuMemAlloc(NULL, 16), CUDA_ERROR_INVALID_VALUE);
	CHECK_CU(cu.cuMemAlloc(&address, (size_t)1 << 46), CUDA_ERROR_OUT_OF_MEMORY);
	CHECK_CU(cu.cuMemAlloc(&address, SIZE_MAX), CUDA_ERROR_OUT_OF_MEMORY);
	OK_CU(cu.cuMemFree(one));
	OK_CU(cu.cuMemFree(two));
	OK_CU(cu.cuMemFree(0));
	CHECK_CU(cu.cuMemFree(one), CUDA_ERROR_INVALID_VALUE);
}

static void test_free_inside(void)
{
	CUdeviceptr address = alloc(4096);

	CHECK_CU(cu.cuMemFree(address + 256), CUDA_ERROR_INVALID_VALUE);
	OK_CU(cu.cuMemFree(address));
}

static void test_info(void)
{
	size_t before = 0, during = 0, total = 0;
	CUdeviceptr address;

	OK_CU(cu.cuMemGetInfo(&before, &total));
	CHECK(before <= total && total > 0);
	address = alloc((size_t)64 << 20);
	OK_CU(cu.cuMemGetInfo(&during, &total));
	CHECK(during < before);
	OK_CU(cu.cuMemFree(address));
}

static void test_range(void)
{
	CUdeviceptr address = alloc(1000), base = 0;
	size_t size = 0;

	OK_CU(cu.cuMemGetAddressRange(&base, &size, address + 999));
	CHECK(base == address);
	CHECK_INT(size, 1000);
	OK_CU(cu.cuMemGetAddressRange(NULL, &size, address));
	OK_CU(cu.cuMemFree(address));
}

static void test_copies(void)
{
	CUdeviceptr a = alloc(SIZE), b = alloc(SIZE);
	unsigned in[COUNT], out[COUNT] = { 0 };

	for (unsigned i = 0; i < COUNT; i++)
		in[i] = i * 3;
	OK_CU(cu.cuMemcpyHtoD(a, in, SIZE));
	OK_CU(cu.cuMemcpy(b, a, SIZE));
	OK_CU(cu.cuMemcpyDtoH(out, b, SIZE));
	CHECK(!memcmp(in, out, SIZE));
	memset(out, 0, SIZE);
	OK_CU(cu.cuMemcpyAsync((uintptr_t)out, a, SIZE, NULL));
	CHECK(!memcmp(in, out, SIZE));
	OK_CU(cu.cuMemcpyHtoD(a, in, 0));
	OK_CU(cu.cuMemFree(a));
	OK_CU(cu.cuMemFree(b));
}

/* The bytes are taken at the call: the caller may change them afterwards. */
static void test_pageable(void)
{
	CUdeviceptr a = alloc(LARGE);
	unsigned char *host = malloc(LARGE);
	CUstream stream;

	OK_CU(cu.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	memset(host, 5, LARGE);
	OK_CU(cu.cuMemcpyAsync(a, (uintptr_t)host, LARGE, stream));
	memset(host, 6, LARGE);
	OK_CU(cu.cuMemcpyAsync((uintptr_t)host, a, LARGE, stream));
	for (size_t i = 0; i < LARGE; i += 4097)
		CHECK_INT(host[i], 5);
	OK_CU(cu.cuStreamDestroy(stream));
	OK_CU(cu.cuMemFree(a));
	free(host);
}

static void test_fills(void)
{
	CUdeviceptr a = alloc(64);
	unsigned char bytes[64];

	OK_CU(cu.cuMemsetD8(a, 0x11, 64));
	OK_CU(cu.cuMemsetD16(a + 8, 0x2233, 4));
	OK_CU(cu.cuMemsetD32(a + 16, 0x44556677, 2));
	OK_CU(cu.cuMemcpyDtoH(bytes, a, 64));
	CHECK(bytes[7] == 0x11 && bytes[8] == 0x33 && bytes[9] == 0x22 && bytes[15] == 0x22);
	CHECK(bytes[16] == 0x77 && bytes[23] == 0x44 && bytes[24] == 0x11);
	OK_CU(cu.cuMemsetD8Async(a, 1, 64, NULL));
	OK_CU(cu.cuMemsetD16Async(a, 2, 2, NULL));
	OK_CU(cu.cuMemsetD32Async(a + 8, 3, 1, NULL));
	OK_CU(cu.cuMemcpyDtoH(bytes, a, 64));
	CHECK(bytes[0] == 2 && bytes[1] == 0 && bytes[4] == 1 && bytes[8] == 3);
	CHECK_CU(cu.cuMemsetD32(a + 2, 0, 1), CUDA_ERROR_INVALID_VALUE);
	CHECK_CU(cu.cuMemsetD16(a + 1, 0, 1), CUDA_ERROR_INVALID_VALUE);
	OK_CU(cu.cuMemsetD32(a, 0, 0));
	OK_CU(cu.cuMemFree(a));
}

/* Columns of a table: what lies between the rows stays. */
static void test_fills_2d(void)
{
	CUdeviceptr a = alloc(64);
	unsigned char bytes[64];

	OK_CU(cu.cuMemsetD8(a, 0x11, 64));
	OK_CU(cu.cuMemsetD2D8Async(a, 3, 0x22, 1, 5, NULL));
	OK_CU(cu.cuMemsetD2D16Async(a + 18, 6, 0x3344, 2, 2, NULL));
	OK_CU(cu.cuMemsetD2D32Async(a + 32, 8, 0x55667788, 1, 4, NULL));
	OK_CU(cu.cuMemcpyDtoH(bytes, a, 64));
	for (int i = 0; i < 15; i++)
		CHECK_INT(bytes[i], i % 3 ? 0x11 : 0x22);
	CHECK(!memcmp(bytes + 15, "\x11\x11\x11\x44\x33\x44\x33\x11\x11\x44\x33\x44\x33\x11",
		      14));
	for (int i = 32; i < 64; i++)
		CHECK_INT(bytes[i], i & 4 ? 0x11 : 0x88 - 0x11 * (i & 3));
	/* The last row ends where the block does; one more does not. */
	OK_CU(cu.cuMemsetD2D8Async(a + 61, 1, 9, 1, 3, NULL));
	CHECK_CU(cu.cuMemsetD2D8Async(a, 8, 9, 8, (size_t)1 << 40, NULL),
		 CUDA_ERROR_INVALID_VALUE);
	CHECK_CU(cu.cuMemsetD2D8Async(0, 8, 9, 8, 2, NULL), CUDA_ERROR_INVALID_VALUE);
	CHECK_CU(cu.cuMemsetD2D8Async(a, 4, 9, 8, 2, NULL), CUDA_ERROR_INVALID_VALUE);
	CHECK_CU(cu.cuMemsetD2D16Async(a + 1, 8, 9, 1, 2, NULL), CUDA_ERROR_INVALID_VALUE);
	CHECK_CU(cu.cuMemsetD2D32Async(a + 2, 8, 9, 1, 2, NULL), CUDA_ERROR_INVALID_VALUE);
	OK_CU(cu.cuMemcpyDtoH(bytes, a, 64));
	CHECK(bytes[0] == 0x22 && bytes[1] == 0x11 && bytes[60] == 0x11 && bytes[63] == 9);
	OK_CU(cu.cuMemFree(a));
}

/* In the order of the stream, behind what is pending. */
static void test_fills_2d_order(void)
{
	CUfunction wait = cuda_function(cuda_kernels(), "wait");
	CUdeviceptr a = alloc(64), flag_address;
	atomic_uint *flag = cuda_flag(&flag_address);
	void *params[] = { &flag_address };
	unsigned char bytes[64] = { 0 };
	CUstream stream, other;

	*flag = 0;
	OK_CU(cu.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	OK_CU(cu.cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
	OK_CU(cu.cuMemsetD8Async(a, 1, 64, other));
	OK_CU(cu.cuStreamSynchronize(other));
	OK_CU(cuda_launch1(wait, stream, params));
	OK_CU(cu.cuMemsetD2D8Async(a, 2, 7, 1, 32, stream));
	CHECK_CU(cu.cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
	OK_CU(cu.cuMemcpyAsync((uintptr_t)bytes, a, 64, other));
	OK_CU(cu.cuStreamSynchronize(other));
	CHECK(bytes[0] == 1 && bytes[62] == 1);
	*flag = 1;
	OK_CU(cu.cuStreamSynchronize(stream));
	OK_CU(cu.cuMemcpyDtoH(bytes, a, 64));
	CHECK(bytes[0] == 7 && bytes[1] == 1 && bytes[62] == 7 && bytes[63] == 1);
	OK_CU(cu.cuStreamDestroy(stream));
	OK_CU(cu.cuStreamDestroy(other));
	OK_CU(cu.cuMemFree(a));
}

static void test_refused(void)
{
	CUdeviceptr a = alloc(1 << 20);
	char host[16];

	CHECK_CU(cu.cuMemcpyHtoD(0, host, 16), CUDA_ERROR_INVALID_VALUE);
	CHECK_CU(cu.cuMemcpyDtoH(host, 0, 16), CUDA_ERROR_INVALID_VALUE);
	CHECK_CU(cu.cuMemsetD8(0, 0, 16), CUDA_ERROR_INVALID_VALUE);
	CHECK_CU(cu.cuMemsetD8(a, 0, (size_t)1 << 40), CUDA_ERROR_INVALID_VALUE);
	CHECK_CU(cu.cuMemcpy(a, a, (size_t)1 << 40), CUDA_ERROR_INVALID_VALUE);
	OK_CU(cu.cuMemFree(a));
}

static void test_host_alloc(void)
{
	CUdeviceptr address = 0;
	void *host = NULL;
	unsigned type = 0;

	OK_CU(cu.cuMemHostAlloc(&host, 4096, CU_MEMHOSTALLOC_DEVICEMAP));
	memset(host, 9, 4096);
	OK_CU(cu.cuMemHostGetDevicePointer(&address, host, 0));
	OK_CU(cu.cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address));
	CHECK_INT(type, CU_MEMORYTYPE_HOST);
	CHECK_CU(cu.cuMemFree((uintptr_t)host), CUDA_ERROR_INVALID_VALUE);
	OK_CU(cu.cuMemFreeHost(host));
	CHECK_CU(cu.cuMemFreeHost(host), CUDA_ERROR_INVALID_VALUE);
	OK_CU(cu.cuMemFreeHost(NULL));
	OK_CU(cu.cuMemHostAlloc(&host, 0, 0));
}

static void test_managed(void)
{
	CUdeviceptr address = 0;
	unsigned managed = 0;

	OK_CU(cu.cuMemAllocManaged(&address, 4096, CU_MEM_ATTACH_GLOBAL));
	REQUIRE(address);
	((volatile char *)(uintptr_t)address)[5] = 7;
	OK_CU(cu.cuPointerGetAttribute(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, address));
	CHECK_INT(managed, 1);
	CHECK_CU(cu.cuMemAllocManaged(&address, 4096, 0), CUDA_ERROR_INVALID_VALUE);
	OK_CU(cu.cuMemFree(address));
}

static void test_register(void)
{
	const size_t size = 1 << 16;
	CUdeviceptr address = 0;
	unsigned char *host = aligned_alloc(4096, size);
	unsigned char byte = 0;

	memset(host, 3, size);
	CHECK_CU(cu.cuMemHostUnregister(host), CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
	OK_CU(cu.cuMemHostRegister(host, size, 0));
	CHECK_CU(cu.cuMemHostRegister(host, size, 0),
		 CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
	OK_CU(cu.cuMemHostGetDevicePointer(&address, host, 0));
	OK_CU(cu.cuMemsetD8(address + 10, 4, 10));
	OK_CU(cu.cuCtxSynchronize());
	CHECK(host[9] == 3 && host[10] == 4 && host[19] == 4 && host[20] == 3);
	OK_CU(cu.cuMemcpyDtoH(&byte, address + 12, 1));
	CHECK_INT(byte, 4);
	OK_CU(cu.cuMemHostUnregister(host));
	OK_CU(cu.cuMemHostRegister(host + 4096, 4096, 0));
	CHECK_CU(cu.cuMemHostRegister(host + 1, 4096, 0),
		 CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
	OK_CU(cu.cuMemHostRegister(host, 4096, 0));
	OK_CU(cu.cuMemHostUnregister(host));
	OK_CU(cu.cuMemHostUnregister(host + 4096));
	CHECK_CU(cu.cuMemHostRegister(host, 0, 0), CUDA_ERROR_INVALID_VALUE);
	free(host);
}

static void test_attributes(void)
{
	CUdeviceptr address = alloc(64), same = 0;
	CUcontext context, current;
	unsigned type = 0;
	int ordinal = -1, host;

	OK_CU(cu.cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address));
	CHECK_INT(type, CU_MEMORYTYPE_DEVICE);
	OK_CU(cu.cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, address));
	CHECK_INT(ordinal, 0);
	OK_CU(cu.cuPointerGetAttribute(&context, CU_POINTER_ATTRIBUTE_CONTEXT, address));
	OK_CU(cu.cuCtxGetCurrent(&current));
	CHECK(context == current);
	OK_CU(cu.cuPointerGetAttribute(&same, CU_POINTER_ATTRIBUTE_DEVICE_POINTER, address));
	CHECK(same == address);
	CHECK_CU(cu.cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
					  (uintptr_t)&host),
		 CUDA_ERROR_INVALID_VALUE);
	OK_CU(cu.cuMemFree(address));
}

/* Freeing waits for the work that may still use the memory. */
static void test_free_waits(void)
{
	CUfunction wait = cuda_function(cuda_kernels(), "wait");
	CUdeviceptr address = alloc(64), flag_address;
	atomic_uint *flag = cuda_flag(&flag_address);
	void *params[] = { &flag_address };
	CUstream stream;

	*flag = 1;
	OK_CU(cu.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	OK_CU(cuda_launch1(wait, stream, params));
	OK_CU(cu.cuMemFree(address));
	OK_CU(cu.cuStreamQuery(stream));
	OK_CU(cu.cuStreamDestroy(stream));
}

int main(void)
{
	cuda_start();
	RUN(test_alloc);
	RUN(test_free_inside);
	RUN(test_info);
	RUN(test_range);
	RUN(test_copies);
	RUN(test_pageable);
	RUN(test_fills);
	RUN(test_fills_2d);
	RUN(test_fills_2d_order);
	RUN(test_refused);
	RUN(test_host_alloc);
	RUN(test_managed);
	RUN(test_register);
	RUN(test_attributes);
	RUN(test_free_waits);
	return tap_end();
}
