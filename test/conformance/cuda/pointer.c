/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a driver tells of an address; managed memory and advice about it. */
#include "cuda_kernels.h"

static uint64_t ask(CUpointer_attribute attrib, CUdeviceptr address)
{
	uint64_t value = 0;

	OK_CU(cu.cuPointerGetAttribute(&value, attrib, address));
	return value;
}

static void test_device_memory(void)
{
	CUdeviceptr address = 0, other = 0;
	CUcontext context = NULL;

	OK_CU(cu.cuCtxGetCurrent(&context));
	OK_CU(cu.cuMemAlloc(&address, 1000));
	OK_CU(cu.cuMemAlloc(&other, 1000));
	CHECK(ask(CU_POINTER_ATTRIBUTE_CONTEXT, address) == (uintptr_t)context);
	CHECK_INT(ask(CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address), CU_MEMORYTYPE_DEVICE);
	CHECK(ask(CU_POINTER_ATTRIBUTE_DEVICE_POINTER, address + 8) == address + 8);
	CHECK(ask(CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, address + 999) == address);
	CHECK(ask(CU_POINTER_ATTRIBUTE_RANGE_SIZE, address) >= 1000);
	CHECK(ask(CU_POINTER_ATTRIBUTE_BUFFER_ID, address) !=
	      ask(CU_POINTER_ATTRIBUTE_BUFFER_ID, other));
	CHECK_INT(ask(CU_POINTER_ATTRIBUTE_IS_MANAGED, address) & 1, 0);
	CHECK_INT(ask(CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, address), 0);
	CHECK_INT(ask(CU_POINTER_ATTRIBUTE_MAPPED, address) & 1, 1);
	CHECK(!ask(CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, address));
	OK_CU(cu.cuMemFree(address));
	OK_CU(cu.cuMemFree(other));
}

static void test_host_memory(void)
{
	unsigned flags = 0;
	void *host = NULL;

	OK_CU(cu.cuMemHostAlloc(&host, 64, CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP));
	CHECK_INT(ask(CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (uintptr_t)host), CU_MEMORYTYPE_HOST);
	CHECK(ask(CU_POINTER_ATTRIBUTE_HOST_POINTER, (uintptr_t)host) == (uintptr_t)host);
	OK_CU(cu.cuMemHostGetFlags(&flags, host));
	CHECK_INT(flags & CU_MEMHOSTALLOC_DEVICEMAP, CU_MEMHOSTALLOC_DEVICEMAP);
	OK_CU(cu.cuMemFreeHost(host));
	CHECK_CU(cu.cuMemHostGetFlags(&flags, &flags), CUDA_ERROR_INVALID_VALUE);
}

static void test_registered_memory(void)
{
	void *host = aligned_alloc(4096, 8192);
	uint64_t ignored;

	memset(host, 0, 8192);
	CHECK_CU(cu.cuPointerGetAttribute(&ignored, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
					  (uintptr_t)host),
		 CUDA_ERROR_INVALID_VALUE);
	OK_CU(cu.cuMemHostRegister(host, 8192, 0));
	CHECK_INT(ask(CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (uintptr_t)host + 8191),
		  CU_MEMORYTYPE_HOST);
	OK_CU(cu.cuMemHostUnregister(host));
	free(host);
}

/* Several at once; an address that the device does not know is no error. */
static void test_attributes(void)
{
	CUpointer_attribute attributes[] = { CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
					     CU_POINTER_ATTRIBUTE_CONTEXT,
					     CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL };
	unsigned type = 99;
	CUcontext context = NULL;
	int ordinal = 99, local = 0;
	void *data[] = { &type, &context, &ordinal };
	CUdeviceptr address = 0;

	OK_CU(cu.cuMemAlloc(&address, 16));
	OK_CU(cu.cuPointerGetAttributes(3, attributes, data, address));
	CHECK_INT(type, CU_MEMORYTYPE_DEVICE);
	CHECK(context);
	CHECK_INT(ordinal, 0);
	OK_CU(cu.cuPointerGetAttributes(3, attributes, data, (uintptr_t)&local));
	CHECK(!context);
	CHECK_INT(ordinal, CU_DEVICE_INVALID);
	CHECK_CU(cu.cuPointerGetAttributes(0, attributes, data, address),
		 CUDA_ERROR_INVALID_VALUE);
	OK_CU(cu.cuMemFree(address));
}

static void test_sync_memops(void)
{
	CUdeviceptr address = 0;
	unsigned on = 1, off = 0;

	OK_CU(cu.cuMemAlloc(&address, 16));
	CHECK_INT(ask(CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, address) & 1, 0);
	OK_CU(cu.cuPointerSetAttribute(&on, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, address));
	CHECK_INT(ask(CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, address) & 1, 1);
	OK_CU(cu.cuPointerSetAttribute(&off, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, address));
	CHECK_INT(ask(CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, address) & 1, 0);
	CHECK_CU(cu.cuPointerSetAttribute(&on, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address),
		 CUDA_ERROR_INVALID_VALUE);
	OK_CU(cu.cuMemFree(address));
}

/* ---- Managed memory --------------------------------------------------------- */

static int range(CUmem_range_attribute attrib, CUdeviceptr address)
{
	int value = 99;

	OK_CU(cu.cuMemRangeGetAttribute(&value, sizeof(value), attrib, address, 4096));
	return value;
}

static void test_advice(void)
{
	CUmemLocation device = { CU_MEM_LOCATION_TYPE_DEVICE, 0 };
	CUdeviceptr address = 0;

	OK_CU(cu.cuMemAllocManaged(&address, 4096, CU_MEM_ATTACH_GLOBAL));
	CHECK_INT(ask(CU_POINTER_ATTRIBUTE_IS_MANAGED, address) & 1, 1);
	CHECK_INT(range(CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, address), 0);
	OK_CU(cu.cuMemAdvise(address, 4096, CU_MEM_ADVISE_SET_READ_MOSTLY, device));
	CHECK_INT(range(CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, address), 1);
	OK_CU(cu.cuMemAdvise_v1(address, 4096, CU_MEM_ADVISE_UNSET_READ_MOSTLY, 0));
	CHECK_INT(range(CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, address), 0);
	CHECK_INT(range(CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, address), CU_DEVICE_INVALID);
	OK_CU(cu.cuMemAdvise(address, 4096, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, device));
	CHECK_INT(range(CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, address), 0);
	OK_CU(cu.cuMemAdvise_v1(address, 4096, CU_MEM_ADVISE_SET_PREFERRED_LOCATION,
				CU_DEVICE_CPU));
	CHECK_INT(range(CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, address), CU_DEVICE_CPU);
	OK_CU(cu.cuMemAdvise(address, 4096, CU_MEM_ADVISE_SET_ACCESSED_BY, device));
	CHECK_INT(range(CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY, address), 0);
	OK_CU(cu.cuMemAdvise_v1(address, 4096, CU_MEM_ADVISE_SET_ACCESSED_BY, CU_DEVICE_CPU));
	OK_CU(cu.cuMemAdvise_v1(address, 4096, CU_MEM_ADVISE_UNSET_ACCESSED_BY, CU_DEVICE_CPU));
	CHECK_INT(range(CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY, address), 0);
	OK_CU(cu.cuMemAdvise(address, 4096, CU_MEM_ADVISE_UNSET_ACCESSED_BY, device));
	CHECK_INT(range(CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY, address), CU_DEVICE_INVALID);
	OK_CU(cu.cuMemFree(address));
}

/* Prefetched or not, both see what the other wrote. */
static void test_prefetch(void)
{
	CUmemLocation device = { CU_MEM_LOCATION_TYPE_DEVICE, 0 };
	CUmodule module = cuda_kernels();
	CUdeviceptr address = 0;
	unsigned k = 4;
	void *params[] = { &address, &k };
	CUstream stream = NULL;

	OK_CU(cu.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	OK_CU(cu.cuMemAllocManaged(&address, 4096, CU_MEM_ATTACH_GLOBAL));
	REQUIRE(address);
	*(unsigned *)(uintptr_t)address = 2;
	OK_CU(cu.cuMemPrefetchAsync(address, 4096, device, 0, stream));
	OK_CU(cuda_launch1(cuda_function(module, "step"), stream, params));
	OK_CU(cu.cuMemPrefetchAsync_v1(address, 4096, CU_DEVICE_CPU, stream));
	OK_CU(cu.cuStreamAttachMemAsync(stream, address, 0, CU_MEM_ATTACH_GLOBAL));
	OK_CU(cu.cuStreamSynchronize(stream));
	CHECK_INT(*(unsigned *)(uintptr_t)address, 66);
	CHECK_INT(range(CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, address), CU_DEVICE_CPU);
	OK_CU(cu.cuMemFree(address));
	OK_CU(cu.cuStreamDestroy(stream));
	OK_CU(cu.cuModuleUnload(module));
}

static void test_refused(void)
{
	CUmemLocation nowhere = { CU_MEM_LOCATION_TYPE_INVALID, 0 };
	CUdeviceptr address = 0;

	OK_CU(cu.cuMemAllocManaged(&address, 4096, CU_MEM_ATTACH_GLOBAL));
	CHECK(cu.cuMemPrefetchAsync(address, 4096, nowhere, 0, NULL) != CUDA_SUCCESS);
	CHECK(cu.cuMemAdvise(address, 4096, (CUmem_advise)77, nowhere) != CUDA_SUCCESS);
	CHECK(cu.cuMemAdvise(address, (size_t)1 << 40, CU_MEM_ADVISE_SET_READ_MOSTLY, nowhere) !=
	      CUDA_SUCCESS);
	OK_CU(cu.cuMemFree(address));
}

int main(void)
{
	cuda_start();
	RUN(test_device_memory);
	RUN(test_host_memory);
	RUN(test_registered_memory);
	RUN(test_attributes);
	RUN(test_sync_memops);
	RUN(test_advice);
	RUN(test_prefetch);
	RUN(test_refused);
	return tap_end();
}
