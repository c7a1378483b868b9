/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The calls that well-known loaders make of a driver, in their order: what each of them needs. */
#include "cuda_kernels.h"

#define COUNT 256

/* c[i] = a[i] + b[i] for floats that are small whole numbers. */
struct arrays {
	CUdeviceptr a, b, c;
	unsigned n;
};

static bool is_sum(CUdeviceptr c)
{
	float values[COUNT] = { 0 };
	int wrong = 0;

	OK_CU(cu.cuMemcpyDtoH(values, c, sizeof(values)));
	for (int i = 0; i < COUNT; i++)
		wrong += values[i] != 3.0f;
	return !wrong;
}

static void fill(struct arrays *arrays)
{
	const unsigned one = 0x3f800000, two = 0x40000000;

	OK_CU(cu.cuMemsetD32(arrays->a, one, COUNT));
	OK_CU(cu.cuMemsetD32(arrays->b, two, COUNT));
	OK_CU(cu.cuMemsetD32(arrays->c, 0, COUNT));
	arrays->n = COUNT;
}

/* GCC's libgomp: a context of its own, PTX linked with logs, arguments in one block. */
static void test_libgomp(void)
{
	char log[4096] = "", info[4096] = "";
	CUjit_option options[] = { CU_JIT_WALL_TIME,	   CU_JIT_INFO_LOG_BUFFER,
				   CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES,
				   CU_JIT_ERROR_LOG_BUFFER,
				   CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
				   CU_JIT_LOG_VERBOSE };
	void *values[] = { NULL, info, (void *)sizeof(info), log, (void *)sizeof(log), (void *)1 };
	struct arrays arrays = { 0 };
	size_t size = offsetof(struct arrays, n) + sizeof(arrays.n), bytes = 0;
	void *extra[] = { CU_LAUNCH_PARAM_BUFFER_POINTER, &arrays, CU_LAUNCH_PARAM_BUFFER_SIZE,
			  &size, CU_LAUNCH_PARAM_END };
	CUcontext context = NULL, popped = NULL;
	CUdeviceptr block = 0, base = 0;
	CUlinkState state = NULL;
	CUmodule module = NULL;
	CUfunction function = NULL;
	int threads = 0, registers = 0;
	void *image = NULL, *host = NULL;

	OK_CU(cu.cuCtxCreate_v2(&context, CU_CTX_SCHED_AUTO, 0));
	OK_CU(cu.cuLinkCreate(6, options, values, &state));
	OK_CU(cu.cuLinkAddData(state, CU_JIT_INPUT_PTX, PTX_ALL, sizeof(PTX_ALL), NULL, 0, NULL,
			       NULL));
	OK_CU(cu.cuLinkComplete(state, &image, &bytes));
	OK_CU(cu.cuModuleLoadData(&module, image));
	OK_CU(cu.cuLinkDestroy(state));
	OK_CU(cu.cuModuleGetFunction(&function, module, "vadd"));
	OK_CU(cu.cuFuncGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, function));
	OK_CU(cu.cuFuncGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function));
	CHECK(registers > 0 && threads >= COUNT);
	OK_CU(cu.cuModuleGetGlobal(NULL, &bytes, module, "table"));
	CHECK_INT(bytes, 12);
	OK_CU(cu.cuMemAlloc(&block, 3 * COUNT * 4));
	arrays.a = block;
	arrays.b = block + COUNT * 4;
	arrays.c = block + COUNT * 8;
	fill(&arrays);
	OK_CU(cu.cuMemGetAddressRange(&base, &bytes, arrays.b));
	CHECK(base == block && bytes == 3 * COUNT * 4);
	OK_CU(cu.cuMemAllocHost(&host, 4096));
	OK_CU(cu.cuLaunchKernel(function, 1, 1, 1, 32, COUNT / 32, 1, 0, NULL, NULL, extra));
	OK_CU(cu.cuCtxSynchronize());
	OK_CU(cu.cuLaunchKernel(function, COUNT / 32, 1, 1, 32, 1, 1, 0, NULL, NULL, extra));
	OK_CU(cu.cuCtxSynchronize());
	CHECK(is_sum(arrays.c));
	OK_CU(cu.cuMemFreeHost(host));
	OK_CU(cu.cuMemFree(block));
	OK_CU(cu.cuModuleUnload(module));
	OK_CU(cu.cuCtxPopCurrent(&popped));
	CHECK(popped == context);
	OK_CU(cu.cuCtxDestroy(context));
}

/* Triton: the function's needs, its shared memory, a launch with attributes. */
static void test_triton(void)
{
	CUlaunchAttribute attributes[2] = { { .id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE },
					    { .id = CU_LAUNCH_ATTRIBUTE_IGNORE } };
	CUlaunchConfig how = { COUNT / 64, 1, 1, 64, 1, 1, 0, NULL, attributes, 2 };
	struct arrays arrays = { 0 };
	void *params[] = { &arrays.a, &arrays.b, &arrays.c, &arrays.n };
	int registers = 0, spills = 99, optin = 0, shared = 99;
	CUfunction function;
	CUmodule module = NULL;
	CUdevice device = 99;

	OK_CU(cu.cuCtxGetDevice(&device));
	OK_CU(cu.cuModuleLoadData(&module, PTX_ALL));
	function = cuda_function(module, "vadd");
	OK_CU(cu.cuFuncGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, function));
	OK_CU(cu.cuFuncGetAttribute(&spills, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, function));
	OK_CU(cu.cuDeviceGetAttribute(
		&optin, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, device));
	OK_CU(cu.cuFuncSetCacheConfig(function, CU_FUNC_CACHE_PREFER_SHARED));
	OK_CU(cu.cuFuncGetAttribute(&shared, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function));
	OK_CU(cu.cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
				    optin - shared));
	CHECK(registers > 0 && !spills && optin > 48 << 10 && !shared);
	OK_CU(cu.cuMemAlloc(&arrays.a, COUNT * 4));
	OK_CU(cu.cuMemAlloc(&arrays.b, COUNT * 4));
	OK_CU(cu.cuMemAlloc(&arrays.c, COUNT * 4));
	fill(&arrays);
	how.sharedMemBytes = (unsigned)(optin - shared) / 8;
	attributes[0].value.cooperative = 1;
	OK_CU(cu.cuLaunchKernelEx(&how, function, params, NULL));
	CHECK(is_sum(arrays.c));
	OK_CU(cu.cuMemFree(arrays.a));
	OK_CU(cu.cuMemFree(arrays.b));
	OK_CU(cu.cuMemFree(arrays.c));
	OK_CU(cu.cuModuleUnload(module));
}

/* CuPy: memory in stream order out of the device's pool, events with times, block size by occupancy. */
static void test_cupy(void)
{
	struct arrays arrays = { 0 };
	void *params[] = { &arrays.a, &arrays.b, &arrays.c, &arrays.n };
	CUmodule module = cuda_kernels();
	CUfunction function = cuda_function(module, "vadd");
	uint64_t threshold = UINT64_MAX;
	CUevent start = NULL, end = NULL;
	CUmemoryPool pool = NULL;
	CUstream stream = NULL;
	int grid = 0, block = 0;
	float ms = -1;

	OK_CU(cu.cuDeviceGetDefaultMemPool(&pool, 0));
	OK_CU(cu.cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold));
	OK_CU(cu.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	OK_CU(cu.cuMemAllocAsync(&arrays.a, COUNT * 4, stream));
	OK_CU(cu.cuMemAllocAsync(&arrays.b, COUNT * 4, stream));
	OK_CU(cu.cuMemAllocAsync(&arrays.c, COUNT * 4, stream));
	OK_CU(cu.cuStreamSynchronize(stream));
	fill(&arrays);
	OK_CU(cu.cuCtxSynchronize());
	OK_CU(cu.cuOccupancyMaxPotentialBlockSize(&grid, &block, function, NULL, 0, COUNT));
	CHECK(grid > 0 && block > 0 && block <= COUNT);
	OK_CU(cu.cuEventCreate(&start, CU_EVENT_DEFAULT));
	OK_CU(cu.cuEventCreate(&end, CU_EVENT_DEFAULT));
	OK_CU(cu.cuEventRecord(start, stream));
	OK_CU(cu.cuLaunchKernel(function, (COUNT + (unsigned)block - 1) / (unsigned)block, 1, 1,
				(unsigned)block, 1, 1, 0, stream, params, NULL));
	OK_CU(cu.cuEventRecord(end, stream));
	OK_CU(cu.cuEventSynchronize(end));
	OK_CU(cu.cuEventElapsedTime(&ms, start, end));
	CHECK(ms >= 0 && ms < 60000);
	CHECK(is_sum(arrays.c));
	OK_CU(cu.cuMemFreeAsync(arrays.a, stream));
	OK_CU(cu.cuMemFreeAsync(arrays.b, stream));
	OK_CU(cu.cuMemFreeAsync(arrays.c, stream));
	OK_CU(cu.cuStreamSynchronize(stream));
	threshold = 0;
	OK_CU(cu.cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold));
	OK_CU(cu.cuEventDestroy(start));
	OK_CU(cu.cuEventDestroy(end));
	OK_CU(cu.cuStreamDestroy(stream));
	OK_CU(cu.cuModuleUnload(module));
}

int main(void)
{
	cuda_start();
	RUN(test_libgomp);
	RUN(test_triton);
	RUN(test_cupy);
	return tap_end();
}
