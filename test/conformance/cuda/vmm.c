/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Virtual memory: addresses, memory, mappings of one to the other, and access to them. */
#include "cuda_kernels.h"

static const CUmemAllocationProp on_device = {
	.type = CU_MEM_ALLOCATION_TYPE_PINNED,
	.location = { CU_MEM_LOCATION_TYPE_DEVICE, 0 },
};
static const CUmemAccessDesc writable = {
	{ CU_MEM_LOCATION_TYPE_DEVICE, 0 },
	CU_MEM_ACCESS_FLAGS_PROT_READWRITE,
};
static const CUmemAccessDesc readable = {
	{ CU_MEM_LOCATION_TYPE_DEVICE, 0 },
	CU_MEM_ACCESS_FLAGS_PROT_READ,
};

static size_t unit;

static int attribute(CUdevice_attribute which)
{
	int value = -1;

	OK_CU(cu.cuDeviceGetAttribute(&value, which, 0));
	return value;
}

/* What the device says of itself is what the other tests here use. */
static void test_attributes(void)
{
	CUmemAllocationProp shared = on_device;
	CUmemGenericAllocationHandle memory = 0;

	CHECK_INT(attribute(CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED), 1);
	if (attribute(CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED))
		return;
	shared.requestedHandleTypes = 1; /* a file descriptor */
	CHECK_CU(cu.cuMemCreate(&memory, unit, &shared, 0), CUDA_ERROR_NOT_SUPPORTED);
}

static CUmemGenericAllocationHandle memory_new(size_t size)
{
	CUmemGenericAllocationHandle handle = 0;

	OK_CU(cu.cuMemCreate(&handle, size, &on_device, 0));
	return handle;
}

static CUdeviceptr range_new(size_t size)
{
	CUdeviceptr address = 0;

	OK_CU(cu.cuMemAddressReserve(&address, size, 0, 0, 0));
	CHECK(address && address % unit == 0);
	return address;
}

static unsigned word_at(CUdeviceptr address)
{
	unsigned word = 0;

	OK_CU(cu.cuMemcpyDtoH(&word, address, sizeof(word)));
	return word;
}

/* One memory at two addresses: what is written at one is read at the other. */
static void test_twice(void)
{
	CUdeviceptr range = range_new(2 * unit);
	CUmemGenericAllocationHandle memory = memory_new(unit);
	CUmodule module = cuda_kernels();
	CUdeviceptr there = range + 64;
	unsigned k = 5;
	void *params[] = { &there, &k };

	OK_CU(cu.cuMemMap(range, unit, 0, memory, 0));
	OK_CU(cu.cuMemMap(range + unit, unit, 0, memory, 0));
	OK_CU(cu.cuMemRelease(memory));
	OK_CU(cu.cuMemSetAccess(range, 2 * unit, &writable, 1));
	OK_CU(cu.cuMemsetD32(range + unit + 64, 3, 1));
	OK_CU(cuda_launch1(cuda_function(module, "step"), NULL, params));
	OK_CU(cu.cuCtxSynchronize());
	CHECK_INT(word_at(range + unit + 64), 98);
	CHECK_INT(word_at(range + 64), 98);
	OK_CU(cu.cuMemUnmap(range, unit));
	OK_CU(cu.cuMemUnmap(range + unit, unit));
	OK_CU(cu.cuMemAddressFree(range, 2 * unit));
	OK_CU(cu.cuModuleUnload(module));
}

/* A range grows: mappings beside each other are one array for copies and fills. */
static void test_grow(void)
{
	CUdeviceptr range = range_new(4 * unit);
	unsigned word = 0;

	for (int i = 0; i < 3; i++) {
		CUmemGenericAllocationHandle memory = memory_new(unit);

		OK_CU(cu.cuMemMap(range + (CUdeviceptr)i * unit, unit, 0, memory, 0));
		OK_CU(cu.cuMemSetAccess(range + (CUdeviceptr)i * unit, unit, &writable, 1));
		OK_CU(cu.cuMemRelease(memory));
	}
	OK_CU(cu.cuMemsetD32(range, 6, 3 * unit / 4));
	word = 7;
	OK_CU(cu.cuMemcpyHtoD(range + 2 * unit, &word, sizeof(word)));
	OK_CU(cu.cuMemcpyDtoD(range + unit - 8, range + 2 * unit - 8, 16));
	OK_CU(cu.cuCtxSynchronize());
	CHECK_INT(word_at(range + unit - 4), 6);
	CHECK_INT(word_at(range + unit), 7);
	OK_CU(cu.cuMemUnmap(range, 3 * unit));
	OK_CU(cu.cuMemAddressFree(range, 4 * unit));
}

/* vadd() on two arrays that begin before the seam of two mappings and end after it. */
static void add_over_seam(CUdeviceptr seam, CUdeviceptr out)
{
	CUmodule module = cuda_kernels();
	CUdeviceptr in = seam - 5 * sizeof(float);
	unsigned count = 32;
	void *params[] = { &in, &in, &out, &count };
	float got[32] = { 0 };

	OK_CU(cu.cuLaunchKernel(cuda_function(module, "vadd"), 1, 1, 1, count, 1, 1, 0, NULL,
				params, NULL));
	OK_CU(cu.cuCtxSynchronize());
	OK_CU(cu.cuMemcpyDtoH(got, out, sizeof(got)));
	for (unsigned i = 0; i < count; i++)
		CHECK(got[i] == 2 * 1.5f);
	OK_CU(cu.cuModuleUnload(module));
}

/* For the lanes of a warp, too, mappings beside each other are one array. */
static void test_seams(void)
{
	enum { MAPPINGS = 31 };
	CUdeviceptr range = range_new(MAPPINGS * unit);
	const float one = 1.5f;
	uint32_t bits;

	memcpy(&bits, &one, sizeof(bits));
	for (CUdeviceptr at = range; at < range + MAPPINGS * unit; at += unit) {
		CUmemGenericAllocationHandle memory = memory_new(unit);

		OK_CU(cu.cuMemMap(at, unit, 0, memory, 0));
		OK_CU(cu.cuMemRelease(memory));
	}
	OK_CU(cu.cuMemSetAccess(range, MAPPINGS * unit, &writable, 1));
	for (int i = 1; i < MAPPINGS; i++) {
		OK_CU(cu.cuMemsetD32(range, bits, MAPPINGS * unit / sizeof(bits)));
		add_over_seam(range + (CUdeviceptr)i * unit, range);
		add_over_seam(range + (CUdeviceptr)i * unit,
			      range + (i == 1 ? 2 : 1) * unit - 64);
	}
	OK_CU(cu.cuMemUnmap(range, MAPPINGS * unit));
	OK_CU(cu.cuMemAddressFree(range, MAPPINGS * unit));
}

static void test_access(void)
{
	CUdeviceptr range = range_new(unit);
	CUmemGenericAllocationHandle memory = memory_new(unit), again = 0;
	CUmemAllocationProp props = { 0 };
	unsigned long long flags = 99;

	OK_CU(cu.cuMemMap(range, unit, 0, memory, 0));
	OK_CU(cu.cuMemSetAccess(range, unit, &writable, 1));
	OK_CU(cu.cuMemGetAccess(&flags, &writable.location, range));
	CHECK_INT(flags, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
	if (cu.gpurunCpuReport) { /* a GPU may have no memory that is only read */
		OK_CU(cu.cuMemSetAccess(range, unit, &readable, 1));
		OK_CU(cu.cuMemGetAccess(&flags, &readable.location, range));
		CHECK_INT(flags, CU_MEM_ACCESS_FLAGS_PROT_READ);
	}
	OK_CU(cu.cuMemRetainAllocationHandle(&again, (void *)(uintptr_t)range));
	CHECK(again == memory);
	OK_CU(cu.cuMemRelease(again));
	OK_CU(cu.cuMemGetAllocationPropertiesFromHandle(&props, memory));
	CHECK_INT(props.location.type, CU_MEM_LOCATION_TYPE_DEVICE);
	OK_CU(cu.cuMemUnmap(range, unit));
	OK_CU(cu.cuMemRelease(memory));
	OK_CU(cu.cuMemAddressFree(range, unit));
}

static void nap(void *ignored)
{
	(void)ignored;
	sleep_ms(50);
}

/*
 * The CPU device alone: what a GPU does then is not said. Access that ends while a kernel of
 * another context uses the memory ends after that kernel, whose other address it is written at.
 */
static void end_while_used(CUresult (*end)(CUdeviceptr range))
{
	CUdeviceptr range = range_new(2 * unit);
	CUmemGenericAllocationHandle memory = memory_new(unit);
	CUstream writer = NULL, waiter = NULL;
	void *params[] = { &range };
	CUcontext other = NULL;

	OK_CU(cu.cuMemMap(range, unit, 0, memory, 0));
	OK_CU(cu.cuMemMap(range + unit, unit, 0, memory, 0));
	OK_CU(cu.cuMemRelease(memory));
	OK_CU(cu.cuMemSetAccess(range, 2 * unit, &writable, 1));
	OK_CU(cu.cuCtxCreate_v2(&other, 0, 0));
	OK_CU(cu.cuStreamCreate(&writer, CU_STREAM_NON_BLOCKING));
	OK_CU(cu.cuStreamCreate(&waiter, CU_STREAM_NON_BLOCKING));
	OK_CU(cuda_launch1(cuda_function(cuda_kernels(), "wait"), waiter, params));
	OK_CU(cu.cuLaunchHostFunc(writer, nap, NULL));
	OK_CU(cu.cuMemsetD32Async(range + unit, 1, 1, writer));
	OK_CU(cu.cuCtxPopCurrent(NULL));
	OK_CU(end(range));
	OK_CU(cu.cuCtxPushCurrent(other));
	OK_CU(cu.cuStreamQuery(waiter));
	OK_CU(cu.cuCtxDestroy(other));
	OK_CU(cu.cuMemUnmap(range + unit, unit));
	cu.cuMemUnmap(range, unit);
	OK_CU(cu.cuMemAddressFree(range, 2 * unit));
}

static CUresult unmap(CUdeviceptr range)
{
	return cu.cuMemUnmap(range, unit);
}

static CUresult take_access(CUdeviceptr range)
{
	CUmemAccessDesc none = writable;

	none.flags = CU_MEM_ACCESS_FLAGS_PROT_NONE;
	return cu.cuMemSetAccess(range, unit, &none, 1);
}

static void test_in_use(void)
{
	if (!cu.gpurunCpuReport)
		return;
	end_while_used(unmap);
	end_while_used(take_access);
}

/* The CPU device alone: it does not wait for words that no thread writes when memory is unmapped. */
static void test_beside_wait(void)
{
	CUdeviceptr range = range_new(unit), word = 0;
	CUmemGenericAllocationHandle memory = memory_new(unit);
	CUstream stream = NULL;

	if (!cu.gpurunCpuReport)
		return;
	OK_CU(cu.cuMemAlloc(&word, 4));
	OK_CU(cu.cuMemsetD32(word, 0, 1));
	OK_CU(cu.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	OK_CU(cu.cuMemMap(range, unit, 0, memory, 0));
	OK_CU(cu.cuMemRelease(memory));
	OK_CU(cu.cuMemSetAccess(range, unit, &writable, 1));
	OK_CU(cu.cuStreamWaitValue32(stream, word, 1, CU_STREAM_WAIT_VALUE_EQ));
	OK_CU(cu.cuMemsetD32Async(range, 1, 1, stream));
	OK_CU(cu.cuMemUnmap(range, unit));
	OK_CU(cu.cuMemAddressFree(range, unit));
	OK_CU(cu.cuMemsetD32Async(word, 1, 1, NULL));
	OK_CU(cu.cuStreamSynchronize(stream));
	OK_CU(cu.cuStreamDestroy(stream));
	OK_CU(cu.cuMemFree(word));
}

static void test_refused(void)
{
	CUmemGenericAllocationHandle memory = 0;
	CUdeviceptr range = range_new(unit);

	CHECK_CU(cu.cuMemCreate(&memory, unit + 1, &on_device, 0), CUDA_ERROR_INVALID_VALUE);
	CHECK_CU(cu.cuMemCreate(&memory, (size_t)1 << 46, &on_device, 0),
		 CUDA_ERROR_OUT_OF_MEMORY);
	memory = memory_new(unit);
	CHECK(cu.cuMemMap(range, 2 * unit, 0, memory, 0) != CUDA_SUCCESS);
	CHECK(cu.cuMemSetAccess(range, unit, &writable, 1) != CUDA_SUCCESS);
	if (cu.gpurunCpuReport) /* a GPU's driver has nothing against it */
		CHECK(cu.cuMemUnmap(range, unit) != CUDA_SUCCESS);
	OK_CU(cu.cuMemRelease(memory));
	OK_CU(cu.cuMemAddressFree(range, unit));
	CHECK(cu.cuMemAddressFree(range, unit) != CUDA_SUCCESS);
}

/* Programs reserve more addresses than a small device has memory: ggml 32 GiB at its first pool. */
static void test_far(void)
{
	const size_t size = (size_t)32 << 30;
	CUdeviceptr range = range_new(size), last = range + size - unit;
	CUmemGenericAllocationHandle memory = memory_new(unit);

	OK_CU(cu.cuMemMap(last, unit, 0, memory, 0));
	OK_CU(cu.cuMemRelease(memory));
	OK_CU(cu.cuMemSetAccess(last, unit, &writable, 1));
	OK_CU(cu.cuMemsetD32(last, 5, unit / 4));
	CHECK_INT(word_at(last + unit - 4), 5);
	OK_CU(cu.cuMemUnmap(last, unit));
	OK_CU(cu.cuMemAddressFree(range, size));
}

int main(void)
{
	cuda_start();
	OK_CU(cu.cuMemGetAllocationGranularity(&unit, &on_device,
					       CU_MEM_ALLOC_GRANULARITY_MINIMUM));
	RUN(test_attributes);
	RUN(test_twice);
	RUN(test_grow);
	RUN(test_far);
	RUN(test_seams);
	RUN(test_access);
	RUN(test_in_use);
	RUN(test_beside_wait);
	RUN(test_refused);
	return tap_end();
}
