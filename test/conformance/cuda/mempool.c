/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Memory pools, and allocation in the order of a stream. */
#include "cuda_kernels.h"

static const CUmemPoolProps on_device = {
	.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
	.location = { CU_MEM_LOCATION_TYPE_DEVICE, 0 },
};

static CUmemoryPool pool_new(size_t most)
{
	CUmemPoolProps props = on_device;
	CUmemoryPool pool = NULL;

	props.maxSize = most;
	OK_CU(cu.cuMemPoolCreate(&pool, &props));
	return pool;
}

static uint64_t ask(CUmemoryPool pool, CUmemPool_attribute attrib)
{
	uint64_t value = UINT64_MAX;

	OK_CU(cu.cuMemPoolGetAttribute(pool, attrib, &value));
	return value;
}

static void test_device_pools(void)
{
	CUmemoryPool standard = NULL, current = NULL, mine = pool_new(0);

	OK_CU(cu.cuDeviceGetDefaultMemPool(&standard, 0));
	OK_CU(cu.cuDeviceGetMemPool(&current, 0));
	CHECK(standard && current == standard);
	OK_CU(cu.cuDeviceSetMemPool(0, mine));
	OK_CU(cu.cuDeviceGetMemPool(&current, 0));
	CHECK(mine && current == mine && mine != standard);
	OK_CU(cu.cuMemPoolDestroy(mine));
	OK_CU(cu.cuDeviceGetMemPool(&current, 0));
	CHECK(current == standard);
	CHECK_CU(cu.cuMemPoolDestroy(standard), CUDA_ERROR_INVALID_VALUE);
}

/* What is in use is told, and whose it is; the memory is there in stream order. */
static void test_account(void)
{
	CUmemoryPool pool = pool_new(0), whose = NULL;
	CUdeviceptr address = 0;
	CUstream stream = NULL;
	unsigned word = 0;

	OK_CU(cu.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	OK_CU(cu.cuMemAllocFromPoolAsync(&address, 1 << 20, pool, stream));
	OK_CU(cu.cuMemsetD32Async(address, 8, (1 << 20) / 4, stream));
	OK_CU(cu.cuMemcpyDtoHAsync(&word, address + (1 << 20) - 4, 4, stream));
	OK_CU(cu.cuStreamSynchronize(stream));
	CHECK_INT(word, 8);
	CHECK(ask(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT) >= 1 << 20);
	CHECK(ask(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT) >= 1 << 20);
	OK_CU(cu.cuPointerGetAttribute(&whose, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, address));
	CHECK(whose == pool);
	OK_CU(cu.cuMemFreeAsync(address, stream));
	OK_CU(cu.cuStreamSynchronize(stream));
	CHECK_INT(ask(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT), 0);
	CHECK(ask(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH) >= 1 << 20);
	OK_CU(cu.cuMemPoolTrimTo(pool, 0));
	OK_CU(cu.cuStreamDestroy(stream));
	OK_CU(cu.cuMemPoolDestroy(pool));
}

/* The CPU device alone: a GPU's driver rounds sizes. What is reset is what is in use then. */
static void test_high(void)
{
	CUmemoryPool pool = pool_new(0);
	CUdeviceptr kept = 0, freed = 0;
	uint64_t zero = 0;

	if (!cu.gpurunCpuReport)
		return;
	OK_CU(cu.cuMemAllocFromPoolAsync(&kept, 4096, pool, NULL));
	OK_CU(cu.cuMemAllocFromPoolAsync(&freed, 8192, pool, NULL));
	OK_CU(cu.cuMemFreeAsync(freed, NULL));
	OK_CU(cu.cuStreamSynchronize(NULL));
	CHECK_INT(ask(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH), 4096 + 8192);
	OK_CU(cu.cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &zero));
	CHECK_INT(ask(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH), 4096);
	OK_CU(cu.cuMemFreeAsync(kept, NULL));
	OK_CU(cu.cuMemPoolDestroy(pool));
}

/* The CPU device alone, as above: a pool allocates as much as it may, and not a byte more. */
static void test_most(void)
{
	CUmemoryPool pool = pool_new(1 << 20);
	CUdeviceptr first = 0, second = 0, third = 0;

	if (!cu.gpurunCpuReport)
		return;
	OK_CU(cu.cuMemAllocFromPoolAsync(&first, 4096, pool, NULL));
	CHECK_CU(cu.cuMemAllocFromPoolAsync(&second, (1 << 20) - 4095, pool, NULL),
		 CUDA_ERROR_OUT_OF_MEMORY);
	OK_CU(cu.cuMemAllocFromPoolAsync(&second, (1 << 20) - 4096, pool, NULL));
	CHECK_CU(cu.cuMemAllocFromPoolAsync(&third, 1, pool, NULL), CUDA_ERROR_OUT_OF_MEMORY);
	OK_CU(cu.cuMemFreeAsync(second, NULL));
	OK_CU(cu.cuMemFreeAsync(first, NULL));
	OK_CU(cu.cuStreamSynchronize(NULL));
	OK_CU(cu.cuMemAllocFromPoolAsync(&third, 1 << 20, pool, NULL));
	OK_CU(cu.cuMemFreeAsync(third, NULL));
	OK_CU(cu.cuMemPoolDestroy(pool));
}

static void test_attributes(void)
{
	CUmemoryPool pool = pool_new(0);
	uint64_t threshold = 12345678, zero = 0;
	int off = 0, value = -1;

	OK_CU(cu.cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold));
	CHECK_INT(ask(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD), 12345678);
	OK_CU(cu.cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC, &value));
	CHECK_INT(value, 1);
	OK_CU(cu.cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC, &off));
	OK_CU(cu.cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC, &value));
	CHECK_INT(value, 0);
	OK_CU(cu.cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &zero));
	CHECK(cu.cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &threshold) !=
	      CUDA_SUCCESS);
	CHECK(cu.cuMemPoolGetAttribute(pool, (CUmemPool_attribute)99, &value) != CUDA_SUCCESS);
	OK_CU(cu.cuMemPoolDestroy(pool));
}

static void test_access(void)
{
	CUmemoryPool pool = pool_new(0);
	CUmemAccessDesc desc = { { CU_MEM_LOCATION_TYPE_DEVICE, 0 },
				 CU_MEM_ACCESS_FLAGS_PROT_READWRITE };
	CUmemAccess_flags flags = 0;

	OK_CU(cu.cuMemPoolSetAccess(pool, &desc, 1));
	OK_CU(cu.cuMemPoolGetAccess(&flags, pool, &desc.location));
	CHECK_INT(flags, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
	OK_CU(cu.cuMemPoolDestroy(pool));
}

/* Memory of a pool is also freed without a stream; more than there is is not allocated. */
static void test_free(void)
{
	CUdeviceptr address = 0;

	OK_CU(cu.cuMemAllocAsync(&address, 4096, CU_STREAM_PER_THREAD));
	OK_CU(cu.cuStreamSynchronize(CU_STREAM_PER_THREAD));
	OK_CU(cu.cuMemFree(address));
	CHECK_CU(cu.cuMemAllocAsync(&address, (size_t)1 << 46, NULL), CUDA_ERROR_OUT_OF_MEMORY);
}

/* Memory of a pool is of no context: it stays when that in which it was made is destroyed. */
static void test_contexts(void)
{
	CUmemoryPool pool = pool_new(0);
	CUcontext context = NULL;
	CUdeviceptr address = 0;
	unsigned word = 0;

	OK_CU(cu.cuCtxCreate_v2(&context, 0, 0));
	OK_CU(cu.cuMemAllocFromPoolAsync(&address, 4096, pool, NULL));
	OK_CU(cu.cuMemsetD32Async(address, 9, 1024, NULL));
	OK_CU(cu.cuStreamSynchronize(NULL));
	OK_CU(cu.cuCtxDestroy(context));
	CHECK(ask(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT) >= 4096);
	OK_CU(cu.cuMemcpyDtoH(&word, address + 4092, sizeof(word)));
	CHECK_INT(word, 9);
	OK_CU(cu.cuMemFree(address));
	/* CUDA's manual does not say when cuMemFree is counted; a GPU's driver does so later. */
	if (cu.gpurunCpuReport)
		CHECK_INT(ask(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT), 0);
	OK_CU(cu.cuMemPoolDestroy(pool));
}

/* The CPU device alone: a GPU may be in use elsewhere. The same of the primary context. */
static void test_primary(void)
{
	CUcontext context = NULL, primary;
	CUdeviceptr address = 0;
	unsigned word = 0;

	if (!cu.gpurunCpuReport)
		return;
	OK_CU(cu.cuCtxCreate_v2(&context, 0, 0));
	OK_CU(cu.cuMemAllocAsync(&address, 300, NULL));
	OK_CU(cu.cuMemsetD32Async(address, 9, 75, NULL));
	OK_CU(cu.cuDevicePrimaryCtxReset(0));
	OK_CU(cu.cuDevicePrimaryCtxRetain(&primary, 0));
	OK_CU(cu.cuMemcpyDtoH(&word, address + 296, sizeof(word)));
	CHECK_INT(word, 9);
	OK_CU(cu.cuMemFree(address));
	OK_CU(cu.cuCtxDestroy(context));
}

/* What a pool has allocated stays when the pool is destroyed. */
static void test_pool_first(void)
{
	CUmemoryPool pool = pool_new(0);
	CUdeviceptr address = 0;

	OK_CU(cu.cuMemAllocFromPoolAsync(&address, 64, pool, NULL));
	OK_CU(cu.cuMemPoolDestroy(pool));
	OK_CU(cu.cuMemsetD32(address, 1, 16));
	OK_CU(cu.cuMemFreeAsync(address, NULL));
	OK_CU(cu.cuCtxSynchronize());
}

static void test_refused(void)
{
	CUmemPoolProps props = on_device;
	CUmemoryPool pool = NULL;

	props.location.type = CU_MEM_LOCATION_TYPE_INVALID;
	CHECK(cu.cuMemPoolCreate(&pool, &props) != CUDA_SUCCESS);
	props = on_device;
	props.allocType = CU_MEM_ALLOCATION_TYPE_INVALID;
	CHECK(cu.cuMemPoolCreate(&pool, &props) != CUDA_SUCCESS);
	CHECK_CU(cu.cuMemPoolCreate(NULL, &on_device), CUDA_ERROR_INVALID_VALUE);
	CHECK_CU(cu.cuDeviceGetMemPool(&pool, 1000), CUDA_ERROR_INVALID_VALUE);
}

int main(void)
{
	cuda_start();
	RUN(test_device_pools);
	RUN(test_account);
	RUN(test_high);
	RUN(test_most);
	RUN(test_attributes);
	RUN(test_access);
	RUN(test_free);
	RUN(test_contexts);
	RUN(test_primary);
	RUN(test_pool_first);
	RUN(test_refused);
	return tap_end();
}
