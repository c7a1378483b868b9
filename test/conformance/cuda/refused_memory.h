/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Bad arguments of what is about memory. */
#ifndef CONFORMANCE_REFUSED_MEMORY_H
#define CONFORMANCE_REFUSED_MEMORY_H

#include "refused.h"

static void bad_memory(void)
{
	CUdeviceptr address;
	size_t size, pitch;
	unsigned flags;
	void *p;

	REFUSED(cuMemAlloc, (NULL, 4), VALUE);
	REFUSED(cuMemAlloc, (&address, 0), VALUE);
	REFUSED(cuMemAlloc, (&address, (size_t)1 << 46), CUDA_ERROR_OUT_OF_MEMORY);
	REFUSED(cuMemFree, (1), VALUE);
	REFUSED(cuMemFree, (good.memory + 4), VALUE);
	REFUSED(cuMemAllocPitch, (NULL, &pitch, 4, 4, 4), VALUE);
	REFUSED(cuMemAllocPitch, (&address, &pitch, 0, 4, 4), VALUE);
	REFUSED(cuMemAllocPitch, (&address, &pitch, 4, 4, 3), VALUE);
	REFUSED(cuMemAllocHost, (NULL, 4), VALUE);
	REFUSED(cuMemHostAlloc, (NULL, 4, 0), VALUE);
	REFUSED(cuMemHostAlloc, (&p, 4, 0x10000), VALUE);
	REFUSED(cuMemFreeHost, (&p), VALUE);
	REFUSED(cuMemHostGetDevicePointer, (NULL, good.host, 0), VALUE);
	REFUSED(cuMemHostGetDevicePointer, (&address, good.host, UNKNOWN), VALUE);
	REFUSED(cuMemHostGetFlags, (NULL, good.host), VALUE);
	REFUSED(cuMemHostGetFlags, (&flags, &p), VALUE);
	REFUSED(cuMemHostRegister, (NULL, 4096, 0), VALUE);
	REFUSED(cuMemHostRegister, (&p, 0, 0), VALUE);
	REFUSED(cuMemHostRegister, (&p, 4, 0x10000), VALUE);
	REFUSED(cuMemHostUnregister, (NULL), VALUE, CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
	REFUSED(cuMemHostUnregister, (&p), VALUE, CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
	REFUSED(cuMemGetAddressRange, (&address, &size, 16), VALUE, MISSING);
	OK_CU(cu.cuMemGetInfo(NULL, NULL));
	REFUSED(cuMemAllocManaged, (NULL, 4, CU_MEM_ATTACH_GLOBAL), VALUE);
	REFUSED(cuMemAllocManaged, (&address, 0, CU_MEM_ATTACH_GLOBAL), VALUE);
	REFUSED(cuMemAllocManaged, (&address, 4, 0), VALUE);
	REFUSED(cuMemAllocManaged, (&address, 4, UNKNOWN), VALUE);
}

static void bad_batches(void)
{
	CUmemLocation here[2] = { { CU_MEM_LOCATION_TYPE_DEVICE, 0 } };
	CUmemLocation nowhere = { CU_MEM_LOCATION_TYPE_INVALID, 0 };
	CUdeviceptr managed[2] = { good.managed, good.managed }, other = 16;
	size_t sizes[2] = { 4, 4 }, first = 0, second = 1, twice[2] = { 0, 0 };
	const CUstream s = good.stream;

	REFUSED(cuMemPrefetchBatchAsync, (managed, sizes, 0, here, &first, 1, 0, s), VALUE);
	REFUSED(cuMemPrefetchBatchAsync, (managed, sizes, 1, here, &first, 1, UNKNOWN, s), VALUE);
	REFUSED(cuMemPrefetchBatchAsync, (managed, sizes, 1, here, &first, 0, 0, s), VALUE);
	REFUSED(cuMemPrefetchBatchAsync, (managed, sizes, 1, here, &second, 1, 0, s), VALUE);
	REFUSED(cuMemPrefetchBatchAsync, (managed, sizes, 2, here, twice, 2, 0, s), VALUE);
	REFUSED(cuMemPrefetchBatchAsync, (&other, sizes, 1, here, &first, 1, 0, s), VALUE);
	HERE(cuMemPrefetchBatchAsync, (managed, sizes, 1, &nowhere, &first, 1, 0, s), VALUE);
	HERE(cuMemPrefetchBatchAsync, (managed, sizes, 1, here, &first, 1, 0, NULL), VALUE);
	HERE(cuMemPrefetchBatchAsync, (NULL, sizes, 1, here, &first, 1, 0, s), VALUE);
	HERE(cuMemPrefetchBatchAsync, (managed, sizes, 1, NULL, &first, 1, 0, s), VALUE);
	REFUSED(cuMemDiscardAndPrefetchBatchAsync, (managed, sizes, 0, here, &first, 1, 0, s),
		VALUE);
	HERE(cuMemDiscardAndPrefetchBatchAsync, (managed, NULL, 1, here, &first, 1, 0, s), VALUE);
	REFUSED(cuMemDiscardBatchAsync, (managed, sizes, 0, 0, s), VALUE);
	REFUSED(cuMemDiscardBatchAsync, (&other, sizes, 1, 0, s), VALUE);
	REFUSED(cuMemDiscardBatchAsync, (managed, sizes, 1, UNKNOWN, s), VALUE);
	HERE(cuMemDiscardBatchAsync, (NULL, NULL, 1, 0, s), VALUE);
}

static void bad_managed(void)
{
	const CUmemLocation here = { CU_MEM_LOCATION_TYPE_DEVICE, 0 };
	CUmem_range_attribute attribute = CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY;
	void *data[1] = { &(int){ 0 } };
	size_t size = 4;
	int value;

	REFUSED(cuMemAdvise, (0, 4, CU_MEM_ADVISE_SET_READ_MOSTLY, here), VALUE);
	REFUSED(cuMemAdvise, (good.managed, 4, (CUmem_advise)UNKNOWN, here), VALUE);
	REFUSED(cuMemAdvise_v1, (0, 4, CU_MEM_ADVISE_SET_READ_MOSTLY, 0), VALUE);
	REFUSED(cuMemAdvise_v1, (good.managed, 4, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, NONE),
		DEVICE, VALUE);
	REFUSED(cuMemPrefetchAsync, (0, 4, here, 0, NULL), VALUE);
	REFUSED(cuMemPrefetchAsync, (good.managed, 4, here, UNKNOWN, NULL), VALUE);
	REFUSED(cuMemPrefetchAsync_v1, (0, 4, 0, NULL), VALUE);
	REFUSED(cuMemPrefetchAsync_v1, (good.managed, 4, NONE, NULL), DEVICE, VALUE);
	REFUSED(cuMemRangeGetAttribute, (NULL, 4, attribute, good.managed, 4), VALUE);
	REFUSED(cuMemRangeGetAttribute, (&value, 3, attribute, good.managed, 4), VALUE);
	REFUSED(cuMemRangeGetAttribute,
		(&value, 4, (CUmem_range_attribute)UNKNOWN, good.managed, 4), VALUE);
	REFUSED(cuMemRangeGetAttribute, (&value, 4, attribute, 0, 4), VALUE);
	REFUSED(cuMemRangeGetAttributes, (data, &size, &attribute, 0, good.managed, 4), VALUE);
	HERE(cuMemRangeGetAttributes, (NULL, &size, &attribute, 1, good.managed, 4), VALUE);
	bad_batches();
	REFUSED(cuStreamAttachMemAsync, (good.stream, good.managed, 0, UNKNOWN), VALUE);
	REFUSED(cuPointerGetAttribute, (NULL, CU_POINTER_ATTRIBUTE_IS_MANAGED, good.memory), VALUE);
	REFUSED(cuPointerGetAttribute, (&value, (CUpointer_attribute)9999, good.memory), VALUE);
	REFUSED(cuPointerGetAttribute, (&value, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, 16), VALUE);
	HERE(cuPointerGetAttributes, (1, NULL, data, good.memory), VALUE);
	REFUSED(cuPointerSetAttribute, (&value, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, good.memory),
		VALUE);
	REFUSED(cuPointerSetAttribute, (&value, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, 16), VALUE);
}

static void bad_copy_batches(void)
{
	CUmemcpyAttributes way = { .srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM }, no_way = { 0 };
	CUDA_MEMCPY3D_BATCH_OP ops[1] = { { .extent = { 0, 1, 1 } } };
	CUdeviceptr dst = good.memory, src = good.memory + 64;
	size_t size = 4, first = 0, second = 1, failed;
	const CUstream s = good.stream;

	REFUSED(cuMemcpyBatchAsync, (&dst, &src, &size, 1, &no_way, &first, 1, s), VALUE);
	REFUSED(cuMemcpyBatchAsync, (&dst, &src, &size, 0, &way, &first, 1, s), VALUE);
	REFUSED(cuMemcpyBatchAsync, (&dst, &src, &size, 1, &way, &second, 1, s), VALUE);
	REFUSED(cuMemcpyBatchAsync, (&dst, &src, &size, 1, &way, &first, 2, s), VALUE);
	HERE(cuMemcpyBatchAsync, (NULL, &src, &size, 1, &way, &first, 1, s), VALUE);
	HERE(cuMemcpyBatchAsync, (&dst, &src, &size, 1, &way, &first, 1, NULL), VALUE);
	HERE(cuMemcpyBatchAsync, (&dst, &src, &size, 1, NULL, NULL, 0, s), VALUE);
	REFUSED(cuMemcpyBatchAsync_v1, (&dst, &src, &size, 1, &no_way, &first, 1, &failed, s), VALUE);
	REFUSED(cuMemcpy3DBatchAsync, (1, ops, 0, s), VALUE);
	REFUSED(cuMemcpy3DBatchAsync, (1, ops, UNKNOWN, s), VALUE);
	REFUSED(cuMemcpy3DBatchAsync, (0, ops, 0, s), VALUE);
	HERE(cuMemcpy3DBatchAsync, (1, NULL, 0, s), VALUE);
	REFUSED(cuMemcpy3DBatchAsync_v1, (1, ops, &failed, 0, s), VALUE);
}

static void bad_copies(void)
{
	CUDA_MEMCPY2D flat = { .srcMemoryType = UNKNOWN, .dstMemoryType = CU_MEMORYTYPE_DEVICE,
			       .dstDevice = good.memory, .WidthInBytes = 4, .Height = 1 };
	CUDA_MEMCPY3D deep = { .srcMemoryType = UNKNOWN, .dstMemoryType = CU_MEMORYTYPE_DEVICE,
			       .dstDevice = good.memory, .WidthInBytes = 4, .Height = 1,
			       .Depth = 1 };
	CUDA_MEMCPY3D_PEER peer = { .srcMemoryType = UNKNOWN,
				    .reserved0 = good.context,
				    .dstMemoryType = CU_MEMORYTYPE_DEVICE,
				    .reserved1 = good.context, .dstDevice = good.memory,
				    .WidthInBytes = 4, .Height = 1,
				    .Depth = 1 };
	const CUdeviceptr at = good.memory;
	int word = 0;

	REFUSED(cuMemcpy, (0, at, 4), VALUE);
	REFUSED(cuMemcpyAsync, (at, 0, 4, NULL), VALUE);
	REFUSED(cuMemcpyHtoD, (0, &word, 4), VALUE);
	REFUSED(cuMemcpyHtoD, (at, NULL, 4), VALUE);
	REFUSED(cuMemcpyHtoDAsync, (at, NULL, 4, NULL), VALUE);
	REFUSED(cuMemcpyDtoH, (NULL, at, 4), VALUE);
	REFUSED(cuMemcpyDtoH, (&word, 0, 4), VALUE);
	REFUSED(cuMemcpyDtoHAsync, (&word, 0, 4, NULL), VALUE);
	REFUSED(cuMemcpyDtoD, (at, 0, 4), VALUE);
	REFUSED(cuMemcpyDtoDAsync, (0, at, 4, NULL), VALUE);
	REFUSED(cuMemcpyPeer, (0, good.context, at, good.context, 4), VALUE);
	REFUSED(cuMemcpyPeerAsync, (0, good.context, at, good.context, 4, NULL), VALUE);
	REFUSED(cuMemcpy2D, (&flat), VALUE);
	REFUSED(cuMemcpy2DUnaligned, (&flat), VALUE);
	REFUSED(cuMemcpy2DAsync, (&flat, NULL), VALUE);
	REFUSED(cuMemcpy3D, (&deep), VALUE);
	REFUSED(cuMemcpy3DAsync, (&deep, NULL), VALUE);
	REFUSED(cuMemcpy3DPeer, (&peer), VALUE);
	REFUSED(cuMemcpy3DPeerAsync, (&peer, NULL), VALUE);
	bad_copy_batches();
	HERE(cuMemcpy2D, (NULL), VALUE);
	HERE(cuMemcpy3D, (NULL), VALUE);
	HERE(cuMemcpy3DPeer, (NULL), VALUE);
}

static void bad_fills(void)
{
	const CUdeviceptr at = good.memory;
	const size_t huge = (size_t)1 << 40;

	REFUSED(cuMemsetD8, (0, 1, 4), VALUE);
	REFUSED(cuMemsetD8, (at, 1, huge), VALUE);
	REFUSED(cuMemsetD8Async, (0, 1, 4, NULL), VALUE);
	REFUSED(cuMemsetD16, (0, 1, 4), VALUE);
	REFUSED(cuMemsetD16, (at + 1, 1, 4), VALUE);
	REFUSED(cuMemsetD16Async, (at + 1, 1, 4, NULL), VALUE);
	REFUSED(cuMemsetD32, (0, 1, 4), VALUE);
	REFUSED(cuMemsetD32, (at + 2, 1, 4), VALUE);
	REFUSED(cuMemsetD32Async, (at + 2, 1, 4, NULL), VALUE);
	REFUSED(cuMemsetD2D8, (0, 64, 1, 4, 4), VALUE);
	REFUSED(cuMemsetD2D8Async, (0, 64, 1, 4, 4, NULL), VALUE);
	REFUSED(cuMemsetD2D16, (at + 1, 64, 1, 4, 4), VALUE);
	REFUSED(cuMemsetD2D16Async, (at + 1, 64, 1, 4, 4, NULL), VALUE);
	REFUSED(cuMemsetD2D32, (at + 2, 64, 1, 4, 4), VALUE);
	REFUSED(cuMemsetD2D32, (at, 4, 1, 4, 4), VALUE);
	REFUSED(cuMemsetD2D32Async, (at + 2, 64, 1, 4, 4, NULL), VALUE);
}

static void bad_pools(void)
{
	CUmemLocation here = { CU_MEM_LOCATION_TYPE_DEVICE, 0 };
	CUmemAllocationType pinned = CU_MEM_ALLOCATION_TYPE_PINNED;
	CUmemPoolProps props = { .allocType = pinned, .location = here };
	CUmemAccessDesc access = { here, (CUmemAccess_flags)UNKNOWN };
	CUmemAccess_flags flags;
	CUdeviceptr address;
	CUmemoryPool pool;
	uint64_t value = 1;

	REFUSED(cuMemAllocAsync, (NULL, 4, NULL), VALUE);
	REFUSED(cuMemAllocFromPoolAsync, (NULL, 4, good.pool, NULL), VALUE);
	HERE(cuMemAllocFromPoolAsync, (&address, 4, NULL, NULL), VALUE, HANDLE);
	REFUSED(cuMemFreeAsync, (16, NULL), VALUE);
	REFUSED(cuMemPoolCreate, (NULL, &props), VALUE);
	OK_CU(cu.cuMemPoolCreate(&pool, &props));
	OK_CU(cu.cuMemPoolDestroy(pool));
	HERE(cuMemPoolDestroy, (pool), VALUE, HANDLE);
	HERE(cuMemAllocFromPoolAsync, (&address, 4, pool, NULL), VALUE, HANDLE);
	HERE(cuDeviceSetMemPool, (0, pool), VALUE, HANDLE);
	props.allocType = CU_MEM_ALLOCATION_TYPE_INVALID;
	REFUSED(cuMemPoolCreate, (&pool, &props), VALUE, CUDA_ERROR_NOT_SUPPORTED);
	HERE(cuMemPoolCreate, (&pool, NULL), VALUE);
	HERE(cuMemPoolDestroy, (NULL), VALUE, HANDLE);
	REFUSED(cuMemPoolGetAttribute, (good.pool, (CUmemPool_attribute)UNKNOWN, &value), VALUE);
	REFUSED(cuMemPoolSetAttribute, (good.pool, (CUmemPool_attribute)UNKNOWN, &value), VALUE);
	REFUSED(cuMemPoolSetAttribute, (good.pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &value), VALUE);
	HERE(cuMemPoolTrimTo, (NULL, 0), VALUE, HANDLE);
	REFUSED(cuMemPoolSetAccess, (good.pool, &access, 1), VALUE);
	HERE(cuMemPoolGetAccess, (&flags, NULL, &here), VALUE, HANDLE);
	HERE(cuMemPoolGetAccess, (NULL, good.pool, &here), VALUE);
	REFUSED(cuDeviceGetDefaultMemPool, (NULL, 0), VALUE);
	REFUSED(cuDeviceGetDefaultMemPool, (&pool, NONE), DEVICE, VALUE);
	REFUSED(cuDeviceGetMemPool, (NULL, 0), VALUE);
	REFUSED(cuDeviceGetMemPool, (&pool, NONE), DEVICE, VALUE);
	REFUSED(cuDeviceSetMemPool, (0, NULL), VALUE, HANDLE);
	REFUSED(cuDeviceSetMemPool, (NONE, good.pool), DEVICE, VALUE);
	REFUSED(cuMemGetDefaultMemPool, (NULL, &here, pinned), VALUE);
	REFUSED(cuMemGetMemPool, (NULL, &here, pinned), VALUE);
	HERE(cuMemSetMemPool, (&here, pinned, NULL), VALUE, HANDLE);
}

static void bad_virtual(void)
{
	CUmemAllocationProp props = { .type = CU_MEM_ALLOCATION_TYPE_PINNED,
				      .location = { CU_MEM_LOCATION_TYPE_DEVICE, 0 } };
	CUmemAccessDesc access = { props.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE };
	CUmemGenericAllocationHandle made;
	unsigned long long flags;
	CUdeviceptr address;
	size_t unit = 0;

	OK_CU(cu.cuMemGetAllocationGranularity(&unit, &props, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
	REFUSED(cuMemGetAllocationGranularity, (NULL, &props, CU_MEM_ALLOC_GRANULARITY_MINIMUM),
		VALUE);
	REFUSED(cuMemGetAllocationGranularity, (&unit, &props, UNKNOWN), VALUE);
	REFUSED(cuMemAddressReserve, (NULL, unit, 0, 0, 0), VALUE);
	REFUSED(cuMemAddressReserve, (&address, 0, 0, 0, 0), VALUE);
	REFUSED(cuMemAddressReserve, (&address, 1, 0, 0, 0), VALUE);
	REFUSED(cuMemAddressReserve, (&address, unit, 3, 0, 0), VALUE);
	REFUSED(cuMemAddressReserve, (&address, unit, 0, 0, UNKNOWN), VALUE);
	REFUSED(cuMemAddressFree, (0, unit), VALUE);
	REFUSED(cuMemCreate, (NULL, unit, &props, 0), VALUE);
	REFUSED(cuMemCreate, (&made, 0, &props, 0), VALUE);
	REFUSED(cuMemCreate, (&made, 1, &props, 0), VALUE);
	REFUSED(cuMemCreate, (&made, unit, &props, UNKNOWN), VALUE);
	HERE(cuMemCreate, (&made, unit, NULL, 0), VALUE);
	REFUSED(cuMemRelease, (0), VALUE);
	REFUSED(cuMemMap, (0, unit, 0, 0, 0), VALUE);
	REFUSED(cuMemUnmap, (0, 0), VALUE);
	REFUSED(cuMemSetAccess, (0, unit, &access, 1), VALUE);
	REFUSED(cuMemGetAccess, (NULL, &props.location, good.memory), VALUE);
	HERE(cuMemGetAccess, (&flags, NULL, good.memory), VALUE);
	REFUSED(cuMemRetainAllocationHandle, (&made, &unit), VALUE);
	REFUSED(cuMemGetAllocationPropertiesFromHandle, (&props, 0), VALUE);
	REFUSED(cuMemExportToShareableHandle, (&flags, 0, 1, 0), VALUE);
}

#endif
