/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Copies, prefetches and discards in batches. */
#include "cuda_kernels.h"

#define SIZE 4096

static CUstream stream;

static CUdeviceptr made(unsigned char value)
{
	CUdeviceptr address = 0;

	OK_CU(cu.cuMemAlloc(&address, SIZE));
	OK_CU(cu.cuMemsetD8(address, value, SIZE));
	OK_CU(cu.cuCtxSynchronize());
	return address;
}

static CUdeviceptr host_address(void *pointer)
{
	return (CUdeviceptr)(uintptr_t)pointer;
}

static void test_rows(void)
{
	CUmemcpyAttributes attributes[2] = {
		{ .srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM },
		{ .srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_ANY, .flags = 1 },
	};
	unsigned char in[64], out[64] = { 0 };
	CUdeviceptr a = made(1), b = made(2);
	CUdeviceptr dst[3] = { a, b, b + 100 }, src[3] = { host_address(in), a + 512, a + 1024 };
	size_t sizes[3] = { sizeof(in), 10, 20 }, firsts[2] = { 0, 1 }, failed = 5;

	memset(in, 7, sizeof(in));
	OK_CU(cu.cuMemcpyBatchAsync(dst, src, sizes, 3, attributes, firsts, 2, stream));
	OK_CU(cu.cuStreamSynchronize(stream));
	OK_CU(cu.cuMemcpyDtoH(out, a, 64));
	CHECK(out[0] == 7 && out[63] == 7);
	OK_CU(cu.cuMemcpyDtoH(out, b + 60, 64));
	CHECK(out[39] == 2 && out[40] == 1 && out[59] == 1 && out[60] == 2);
	OK_CU(cu.cuMemcpyDtoH(out, b, 64));
	CHECK(out[9] == 1 && out[10] == 2);
	if (cu.cuMemcpyBatchAsync_v1) {
		OK_CU(cu.cuMemcpyBatchAsync_v1(dst, src, sizes, 1, attributes, firsts, 1, &failed,
					       stream));
		OK_CU(cu.cuStreamSynchronize(stream));
	}
	OK_CU(cu.cuMemFree(a));
	OK_CU(cu.cuMemFree(b));
}

/* The source may change as soon as the call is back, whatever the stream has before it. */
static void test_ephemeral(void)
{
	CUmemcpyAttributes now = { .srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL };
	CUdeviceptr flag_address, a = made(0), dst, src;
	atomic_uint *flag = cuda_flag(&flag_address);
	void *params[] = { &flag_address };
	CUmodule module = cuda_kernels();
	unsigned char *pinned = NULL, out[16] = { 0 };
	size_t size = 16, first = 0;

	OK_CU(cu.cuMemHostAlloc((void **)&pinned, 16, 0));
	memset(pinned, 5, 16);
	OK_CU(cu.cuLaunchKernel(cuda_function(module, "wait"), 1, 1, 1, 1, 1, 1, 0, stream, params,
				NULL));
	dst = a;
	src = host_address(pinned);
	OK_CU(cu.cuMemcpyBatchAsync(&dst, &src, &size, 1, &now, &first, 1, stream));
	CHECK_CU(cu.cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
	memset(pinned, 9, 16);
	atomic_store(flag, 1);
	OK_CU(cu.cuStreamSynchronize(stream));
	OK_CU(cu.cuMemcpyDtoH(out, a, 16));
	CHECK(out[0] == 5 && out[15] == 5);
	OK_CU(cu.cuMemFreeHost(pinned));
	OK_CU(cu.cuMemFreeHost(flag));
	OK_CU(cu.cuMemFree(a));
	OK_CU(cu.cuModuleUnload(module));
}

static CUDA_MEMCPY3D_BATCH_OP box(CUdeviceptr dst, CUdeviceptr src)
{
	return (CUDA_MEMCPY3D_BATCH_OP){
		.src = { .type = CU_MEMCPY_OPERAND_TYPE_POINTER, .op.ptr = { .ptr = src } },
		.dst = { .type = CU_MEMCPY_OPERAND_TYPE_POINTER, .op.ptr = { .ptr = dst } },
		.extent = { 2, 3, 2 },
		.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM,
	};
}

/* Rows and layers of given lengths, and tight ones. */
static void test_boxes(void)
{
	CUdeviceptr a = made(1), b = made(2);
	CUDA_MEMCPY3D_BATCH_OP ops[2] = { box(b, a), box(b + 1024, a) };
	unsigned char out[64] = { 0 };
	size_t failed = 5;

	ops[0].dst.op.ptr.rowLength = 4;
	ops[0].dst.op.ptr.layerHeight = 4;
	OK_CU(cu.cuMemcpy3DBatchAsync(2, ops, 0, stream));
	OK_CU(cu.cuStreamSynchronize(stream));
	OK_CU(cu.cuMemcpyDtoH(out, b, 64));
	for (int i = 0; i < 32; i++)
		CHECK_INT(out[i], i % 4 < 2 && i / 4 % 4 < 3 ? 1 : 2);
	CHECK_INT(out[32], 2);
	OK_CU(cu.cuMemcpyDtoH(out, b + 1024, 64));
	CHECK(out[0] == 1 && out[11] == 1 && out[12] == 2);
	if (cu.cuMemcpy3DBatchAsync_v1)
		OK_CU(cu.cuMemcpy3DBatchAsync_v1(2, ops, &failed, 0, stream));
	OK_CU(cu.cuStreamSynchronize(stream));
	OK_CU(cu.cuMemFree(a));
	OK_CU(cu.cuMemFree(b));
}

/* Nothing of a batch is copied when one of it is wrong; the older forms tell which. */
static void test_wrong(void)
{
	CUmemcpyAttributes stream_order = { .srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM };
	CUdeviceptr a = made(1), b = made(2), dst[2] = { b, b }, src[2] = { a, a };
	CUDA_MEMCPY3D_BATCH_OP ops[2] = { box(b, a), box(b, a) };
	size_t sizes[2] = { 4, SIZE * 2 }, first = 0, failed = 5;
	unsigned char out = 0;

	if (!cu.gpurunCpuReport)
		return;
	CHECK_CU(cu.cuMemcpyBatchAsync_v1(dst, src, sizes, 2, &stream_order, &first, 1, &failed,
					  stream),
		 CUDA_ERROR_INVALID_VALUE);
	CHECK_INT(failed, 1);
	CHECK_CU(cu.cuMemcpyBatchAsync_v1(dst, src, sizes, 2, &stream_order, &first, 1, &failed,
					  NULL),
		 CUDA_ERROR_INVALID_VALUE);
	CHECK(failed == SIZE_MAX);
	ops[1].extent.depth = SIZE_MAX;
	CHECK_CU(cu.cuMemcpy3DBatchAsync_v1(2, ops, &failed, 0, stream), CUDA_ERROR_INVALID_VALUE);
	CHECK_INT(failed, 1);
	ops[1] = box(b, a);
	ops[1].src.type = CU_MEMCPY_OPERAND_TYPE_ARRAY;
	CHECK_CU(cu.cuMemcpy3DBatchAsync(2, ops, 0, stream), CUDA_ERROR_INVALID_VALUE);
	ops[1] = box(b, a);
	ops[1].dst.op.ptr.rowLength = 1;
	CHECK_CU(cu.cuMemcpy3DBatchAsync(2, ops, 0, stream), CUDA_ERROR_INVALID_VALUE);
	OK_CU(cu.cuStreamSynchronize(stream));
	OK_CU(cu.cuMemcpyDtoH(&out, b, 1));
	CHECK_INT(out, 2);
	OK_CU(cu.cuMemFree(a));
	OK_CU(cu.cuMemFree(b));
}

static int last_prefetch(CUdeviceptr address)
{
	int value = 99;

	OK_CU(cu.cuMemRangeGetAttribute(&value, sizeof(value),
					CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, address,
					SIZE));
	return value;
}

static void test_prefetches(void)
{
	CUmemLocation locations[2] = { { CU_MEM_LOCATION_TYPE_DEVICE, 0 },
				       { CU_MEM_LOCATION_TYPE_HOST, 0 } };
	size_t sizes[3] = { SIZE, SIZE, SIZE }, firsts[2] = { 0, 2 }, wrong[2] = { 0, 3 };
	CUdeviceptr addresses[3] = { 0 };

	for (int i = 0; i < 3; i++)
		OK_CU(cu.cuMemAllocManaged(&addresses[i], SIZE, CU_MEM_ATTACH_GLOBAL));
	OK_CU(cu.cuMemPrefetchBatchAsync(addresses, sizes, 3, locations, firsts, 2, 0, stream));
	OK_CU(cu.cuStreamSynchronize(stream));
	CHECK_INT(last_prefetch(addresses[0]), 0);
	CHECK_INT(last_prefetch(addresses[1]), 0);
	CHECK_INT(last_prefetch(addresses[2]), CU_DEVICE_CPU);
	CHECK_CU(cu.cuMemPrefetchBatchAsync(addresses, sizes, 3, locations, wrong, 2, 0, stream),
		 CUDA_ERROR_INVALID_VALUE);
	OK_CU(cu.cuMemDiscardBatchAsync(addresses, sizes, 3, 0, stream));
	OK_CU(cu.cuStreamSynchronize(stream));
	firsts[1] = 1;
	OK_CU(cu.cuMemDiscardAndPrefetchBatchAsync(addresses, sizes, 3, locations, firsts, 2, 0,
						   stream));
	OK_CU(cu.cuStreamSynchronize(stream));
	CHECK_INT(last_prefetch(addresses[0]), 0);
	CHECK_INT(last_prefetch(addresses[1]), CU_DEVICE_CPU);
	for (int i = 0; i < 3; i++)
		OK_CU(cu.cuMemFree(addresses[i]));
}

int main(void)
{
	cuda_start();
	OK_CU(cu.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	RUN(test_rows);
	if (cu.gpurunCpuReport) /* a GPU's driver waits for its turn in the stream, and copies then */
		RUN(test_ephemeral);
	RUN(test_boxes);
	RUN(test_wrong);
	RUN(test_prefetches);
	OK_CU(cu.cuStreamDestroy(stream));
	return tap_end();
}
