/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the runtime's calls set is what those read that get it; as NVIDIA's library has it. */
#include "cudart_use.h"

static struct cudart_image image;

/* Each is set to @value; what is read then is @read. */
static void check_limit(CUlimit limit, size_t value, size_t read)
{
	size_t got = 0;

	CHECK_INT(cudaDeviceSetLimit(limit, value), cudaSuccess);
	CHECK_INT(cudaDeviceGetLimit(&got, limit), cudaSuccess);
	CHECK_INT(got, read);
}

static void test_limits(void)
{
	check_limit(CU_LIMIT_STACK_SIZE, 2048, 2048);
	check_limit(CU_LIMIT_STACK_SIZE, 1000, 1008);
	check_limit(CU_LIMIT_PRINTF_FIFO_SIZE, 2 << 20, 2 << 20);
	check_limit(CU_LIMIT_MALLOC_HEAP_SIZE, 16 << 20, 16 << 20);
	check_limit(CU_LIMIT_MAX_L2_FETCH_GRANULARITY, 32, 32);
	CHECK_INT(cudaDeviceSetLimit((CUlimit)99, 1), cudaErrorInvalidValue);
	CHECK_INT(cudaGetLastError(), cudaErrorInvalidValue);
}

static void test_configurations(void)
{
	CUfunc_cache cache;
	CUsharedconfig banks;

	for (int i = 0; i < 4; i++) {
		CHECK_INT(cudaDeviceSetCacheConfig((CUfunc_cache)i), cudaSuccess);
		CHECK_INT(cudaDeviceGetCacheConfig(&cache), cudaSuccess);
		CHECK_INT(cache, i);
	}
	for (int i = 0; i < 3; i++) {
		CHECK_INT(cudaDeviceSetSharedMemConfig((CUsharedconfig)i), cudaSuccess);
		CHECK_INT(cudaDeviceGetSharedMemConfig(&banks), cudaSuccess);
		CHECK_INT(banks, 1); /* four bytes: what there is */
	}
}

/* Mapping of host memory is always there; 32 and 64, which have no name, are dropped. */
static void test_device_flags(void)
{
	static const unsigned flags[] = { 0, 1, 2, 4, 8, 16, 128, 1 | 16 | 128 };
	unsigned got;

	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		CHECK_INT(cudaSetDeviceFlags(flags[i]), cudaSuccess);
		CHECK_INT(cudaGetDeviceFlags(&got), cudaSuccess);
		CHECK_INT(got, flags[i] | cudaDeviceMapHost);
	}
	CHECK_INT(cudaSetDeviceFlags(32), cudaSuccess);
	CHECK_INT(cudaGetDeviceFlags(&got), cudaSuccess);
	CHECK_INT(got, cudaDeviceMapHost);
	CHECK_INT(cudaSetDeviceFlags(256), cudaErrorInvalidValue);
	CHECK_INT(cudaGetLastError(), cudaErrorInvalidValue);
	CHECK_INT(cudaSetDeviceFlags(0), cudaSuccess);
}

static void test_functions(void)
{
	struct cudaFuncAttributes got;

	CHECK_INT(cudaFuncSetAttribute(&image.nothing,
				       CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 100000),
		  cudaSuccess);
	CHECK_INT(cudaFuncSetAttribute(&image.nothing,
				       CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 50),
		  cudaSuccess);
	CHECK_INT(cudaFuncSetAttribute(&image.nothing,
				       CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1),
		  cudaSuccess);
	CHECK_INT(cudaFuncSetCacheConfig(&image.nothing, (CUfunc_cache)1), cudaSuccess);
	CHECK_INT(cudaFuncSetSharedMemConfig(&image.nothing, (CUsharedconfig)1), cudaSuccess);
	CHECK_INT(cudaFuncGetAttributes(&got, &image.nothing), cudaSuccess);
	CHECK_INT(got.maxDynamicSharedSizeBytes, 100000);
	CHECK_INT(got.preferredShmemCarveout, 50);
	CHECK_INT(got.nonPortableClusterSizeAllowed, 1);
	CHECK_INT(cudaFuncGetAttributes(&got, &image.bump), cudaSuccess);
	CHECK_INT(got.maxDynamicSharedSizeBytes, 49152);
	CHECK_INT(got.preferredShmemCarveout, -1);
}

static void test_streams(void)
{
	CUstreamAttrValue value = { 0 }, got = { 0 };
	cudaStream_t stream;
	int priority, least, greatest;
	unsigned flags;

	CHECK_INT(cudaDeviceGetStreamPriorityRange(&least, &greatest), cudaSuccess);
	CHECK_INT(cudaStreamCreateWithPriority(&stream, 1, greatest), cudaSuccess);
	CHECK_INT(cudaStreamGetPriority(stream, &priority), cudaSuccess);
	CHECK_INT(priority, greatest);
	CHECK_INT(cudaStreamGetFlags(stream, &flags), cudaSuccess);
	CHECK_INT(flags, 1);
	value.syncPolicy = 2;
	CHECK_INT(cudaStreamSetAttribute(stream, CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value),
		  cudaSuccess);
	CHECK_INT(cudaStreamGetAttribute(stream, CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY, &got),
		  cudaSuccess);
	CHECK_INT(got.syncPolicy, 2);
	CHECK_INT(cudaStreamDestroy(stream), cudaSuccess);
}

static void test_pools(void)
{
	cudaMemPool_t pool, current;
	uint64_t value = 1 << 20, got = 0;

	CHECK_INT(cudaDeviceGetDefaultMemPool(&pool, 0), cudaSuccess);
	CHECK_INT(cudaMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &value),
		  cudaSuccess);
	CHECK_INT(cudaMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &got),
		  cudaSuccess);
	CHECK_INT(got, value);
	CHECK_INT(cudaDeviceSetMemPool(0, pool), cudaSuccess);
	CHECK_INT(cudaDeviceGetMemPool(&current, 0), cudaSuccess);
	CHECK(current == pool);
}

int main(void)
{
	cudart_register(&image);
	RUN(test_limits);
	RUN(test_configurations);
	RUN(test_device_flags);
	RUN(test_functions);
	RUN(test_streams);
	RUN(test_pools);
	__cudaUnregisterFatBinary(image.handle);
	return tap_end();
}
