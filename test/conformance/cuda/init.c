/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The driver's start: what answers before cuInit, devices, the primary context. */
#include "cuda.h"

static void test_before_init(void)
{
	CUcontext context;
	const char *name;
	int number = 0;

	CHECK_CU(cu.cuDeviceGetCount(&number), CUDA_ERROR_NOT_INITIALIZED);
	CHECK_CU(cu.cuCtxGetCurrent(&context), CUDA_ERROR_NOT_INITIALIZED);
	CHECK_CU(cu.cuStreamSynchronize(NULL), CUDA_ERROR_NOT_INITIALIZED);
	CHECK_CU(cu.cuMemFree(0x1000), CUDA_ERROR_NOT_INITIALIZED);
	OK_CU(cu.cuGetErrorName(CUDA_ERROR_NOT_INITIALIZED, &name));
	CHECK_STR(name, "CUDA_ERROR_NOT_INITIALIZED");
	OK_CU(cu.cuDriverGetVersion(&number));
	CHECK(number >= 11000);
}

static void test_init(void)
{
	CHECK_CU(cu.cuInit(1), CUDA_ERROR_INVALID_VALUE);
	OK_CU(cu.cuInit(0));
	OK_CU(cu.cuInit(0));
}

static void test_error_names(void)
{
	const char *text = "x";

	OK_CU(cu.cuGetErrorName(CUDA_SUCCESS, &text));
	CHECK_STR(text, "CUDA_SUCCESS");
	OK_CU(cu.cuGetErrorName(CUDA_ERROR_LAUNCH_FAILED, &text));
	CHECK_STR(text, "CUDA_ERROR_LAUNCH_FAILED");
	OK_CU(cu.cuGetErrorString(CUDA_ERROR_OUT_OF_MEMORY, &text));
	CHECK_STR(text, "out of memory");
	CHECK_CU(cu.cuGetErrorName((CUresult)12345, &text), CUDA_ERROR_INVALID_VALUE);
	CHECK(!text);
}

static int attribute(CUdevice_attribute which)
{
	int value = -1;

	OK_CU(cu.cuDeviceGetAttribute(&value, which, 0));
	return value;
}

static void test_device(void)
{
	char name[128] = "", id[32] = "";
	CUuuid uuid, again;
	CUdevice device;
	size_t memory = 0;
	int count = 0;

	OK_CU(cu.cuDeviceGetCount(&count));
	CHECK(count >= 1);
	OK_CU(cu.cuDeviceGet(&device, 0));
	CHECK_CU(cu.cuDeviceGet(&device, count), CUDA_ERROR_INVALID_DEVICE);
	CHECK_CU(cu.cuDeviceGet(&device, -1), CUDA_ERROR_INVALID_DEVICE);
	OK_CU(cu.cuDeviceGetName(name, sizeof(name), 0));
	CHECK(name[0]);
	OK_CU(cu.cuDeviceGetUuid(&uuid, 0));
	OK_CU(cu.cuDeviceGetUuid(&again, 0));
	CHECK(!memcmp(&uuid, &again, sizeof(uuid)));
	OK_CU(cu.cuDeviceGetPCIBusId(id, sizeof(id), 0));
	OK_CU(cu.cuDeviceTotalMem(&memory, 0));
	CHECK(memory > 0);
}

static void test_attributes(void)
{
	int value;

	CHECK_INT(attribute(CU_DEVICE_ATTRIBUTE_WARP_SIZE), 32);
	CHECK_INT(attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK), 1024);
	CHECK_INT(attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z), 64);
	CHECK_INT(attribute(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X), 2147483647);
	CHECK_INT(attribute(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y), 65535);
	CHECK_INT(attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK), 48 << 10);
	CHECK_INT(attribute(CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING), 1);
	CHECK_INT(attribute(CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY), 1);
	CHECK_INT(attribute(CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH), 1);
	CHECK(attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) >= 5);
	CHECK_INT(attribute(CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH),
		  attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) >= 9);
	CHECK_INT(attribute(CU_DEVICE_ATTRIBUTE_TENSOR_MAP_ACCESS_SUPPORTED),
		  attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) >= 9);
	CHECK_INT(attribute(CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK),
		  attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) >= 8 ? 1024 : 0);
	CHECK_INT(attribute(CU_DEVICE_ATTRIBUTE_MEM_SYNC_DOMAIN_COUNT),
		  attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) >= 9 ? 4 : 1);
	CHECK_INT(attribute(CU_DEVICE_ATTRIBUTE_MAX_PITCH), 2147483647);
	CHECK_INT(attribute(CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT), 512);
	CHECK_INT(attribute(CU_DEVICE_ATTRIBUTE_GPU_OVERLAP), 1);
	CHECK(attribute(CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT) >= 1);
	CHECK(attribute(CU_DEVICE_ATTRIBUTE_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO) >= 1);
	CHECK_INT(attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_PREEMPTION_SUPPORTED), 1);
	CHECK_INT(attribute(CU_DEVICE_ATTRIBUTE_GLOBAL_L1_CACHE_SUPPORTED), 1);
	CHECK_INT(attribute(CU_DEVICE_ATTRIBUTE_LOCAL_L1_CACHE_SUPPORTED), 1);
	CHECK_INT(attribute(CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED), 1);
	CHECK(attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT) >= 1);
	CHECK(attribute(CU_DEVICE_ATTRIBUTE_CLOCK_RATE) > 0);
	CHECK(attribute(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE) > 0);
	CHECK(attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN) >= 48 << 10);
	CHECK_CU(cu.cuDeviceGetAttribute(&value, (CUdevice_attribute)0, 0),
		 CUDA_ERROR_INVALID_VALUE);
	CHECK_CU(cu.cuDeviceGetAttribute(NULL, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0),
		 CUDA_ERROR_INVALID_VALUE);
}

static void test_without_context(void)
{
	CUcontext context = (CUcontext)1;
	CUdeviceptr address;
	CUmodule module;
	CUstream stream;
	CUdevice device;

	OK_CU(cu.cuCtxGetCurrent(&context));
	CHECK(!context);
	CHECK_CU(cu.cuStreamCreate(&stream, 0), CUDA_ERROR_INVALID_CONTEXT);
	CHECK_CU(cu.cuMemAlloc(&address, 16), CUDA_ERROR_INVALID_CONTEXT);
	CHECK_CU(cu.cuModuleLoadData(&module, ".version 7.0\n"), CUDA_ERROR_INVALID_CONTEXT);
	CHECK_CU(cu.cuCtxSynchronize(), CUDA_ERROR_INVALID_CONTEXT);
	CHECK_CU(cu.cuCtxGetDevice(&device), CUDA_ERROR_INVALID_CONTEXT);
	CHECK_CU(cu.cuCtxPopCurrent(&context), CUDA_ERROR_INVALID_CONTEXT);
}

/* Set before the context is made, they are its own. */
static void test_flags(void)
{
	CUcontext context;
	unsigned flags = 99;
	int active = 1;

	OK_CU(cu.cuDevicePrimaryCtxSetFlags(0, CU_CTX_SCHED_BLOCKING_SYNC));
	OK_CU(cu.cuDevicePrimaryCtxRetain(&context, 0));
	OK_CU(cu.cuDevicePrimaryCtxGetState(0, &flags, &active));
	CHECK_INT(flags & CU_CTX_SCHED_MASK, CU_CTX_SCHED_BLOCKING_SYNC);
	CHECK_INT(active, 1);
	OK_CU(cu.cuDevicePrimaryCtxRelease(0));
	CHECK_CU(cu.cuDevicePrimaryCtxSetFlags(0, CU_CTX_SCHED_SPIN | CU_CTX_SCHED_YIELD),
		 CUDA_ERROR_INVALID_VALUE);
	CHECK_CU(cu.cuDevicePrimaryCtxSetFlags(0, 1u << 30), CUDA_ERROR_INVALID_VALUE);
	CHECK_CU(cu.cuDevicePrimaryCtxSetFlags(1000, 0), CUDA_ERROR_INVALID_DEVICE);
	OK_CU(cu.cuDevicePrimaryCtxSetFlags(0, CU_CTX_SCHED_AUTO));
}

static void test_primary_context(void)
{
	CUcontext context, again, current = NULL;
	unsigned flags;
	int active = 1;
	CUdevice device = -1;

	OK_CU(cu.cuDevicePrimaryCtxGetState(0, &flags, &active));
	CHECK_INT(active, 0);
	OK_CU(cu.cuDevicePrimaryCtxRetain(&context, 0));
	OK_CU(cu.cuDevicePrimaryCtxRetain(&again, 0));
	CHECK(context && context == again);
	OK_CU(cu.cuDevicePrimaryCtxGetState(0, &flags, &active));
	CHECK_INT(active, 1);
	OK_CU(cu.cuCtxSetCurrent(context));
	OK_CU(cu.cuCtxGetCurrent(&current));
	CHECK(current == context);
	OK_CU(cu.cuCtxGetDevice(&device));
	CHECK_INT(device, 0);
	OK_CU(cu.cuDevicePrimaryCtxRelease(0));
	OK_CU(cu.cuDevicePrimaryCtxGetState(0, &flags, &active));
	CHECK_INT(active, 1);
}

static void test_stack(void)
{
	CUcontext context, current;

	OK_CU(cu.cuCtxGetCurrent(&context));
	OK_CU(cu.cuCtxPushCurrent(context));
	OK_CU(cu.cuCtxPopCurrent(&current));
	CHECK(current == context);
	OK_CU(cu.cuCtxGetCurrent(&current));
	CHECK(current == context);
	OK_CU(cu.cuCtxSetCurrent(NULL));
	OK_CU(cu.cuCtxGetCurrent(&current));
	CHECK(!current);
	OK_CU(cu.cuCtxPushCurrent(context));
	OK_CU(cu.cuCtxPopCurrent(NULL));
	OK_CU(cu.cuCtxSetCurrent(context));
}

static void test_limits(void)
{
	size_t value = 0;

	OK_CU(cu.cuCtxGetLimit(&value, CU_LIMIT_PRINTF_FIFO_SIZE));
	CHECK(value > 0);
	OK_CU(cu.cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 4096));
	OK_CU(cu.cuCtxGetLimit(&value, CU_LIMIT_STACK_SIZE));
	CHECK(value >= 4096);
	OK_CU(cu.cuCtxSetLimit(CU_LIMIT_MALLOC_HEAP_SIZE, 16 << 20));
	OK_CU(cu.cuCtxGetLimit(&value, CU_LIMIT_MALLOC_HEAP_SIZE));
	CHECK(value >= 16 << 20);
	CHECK_CU(cu.cuCtxGetLimit(&value, (CUlimit)99), CUDA_ERROR_INVALID_VALUE);
	CHECK_CU(cu.cuCtxSetLimit((CUlimit)99, 1), CUDA_ERROR_INVALID_VALUE);
	if (cu.gpurunCpuReport) { /* a later driver may know more limits than CUDA 13 */
		CHECK_CU(cu.cuCtxGetLimit(&value, (CUlimit)9), CUDA_ERROR_UNSUPPORTED_LIMIT);
		CHECK_CU(cu.cuCtxSetLimit((CUlimit)9, 1), CUDA_ERROR_UNSUPPORTED_LIMIT);
		CHECK_CU(cu.cuCtxGetLimit(&value, (CUlimit)10), CUDA_ERROR_INVALID_VALUE);
		CHECK_CU(cu.cuCtxSetLimit((CUlimit)10, 1), CUDA_ERROR_INVALID_VALUE);
	}
}

/* What belonged to the context is gone, a new life begins empty. */
static void test_release(void)
{
	CUcontext context;
	unsigned flags;
	int active = 1;
	size_t stack = 0;

	OK_CU(cu.cuDevicePrimaryCtxRelease(0));
	OK_CU(cu.cuDevicePrimaryCtxGetState(0, &flags, &active));
	CHECK_INT(active, 0);
	CHECK_CU(cu.cuDevicePrimaryCtxRelease(0), CUDA_ERROR_INVALID_CONTEXT);
	OK_CU(cu.cuDevicePrimaryCtxRetain(&context, 0));
	OK_CU(cu.cuCtxSetCurrent(context));
	OK_CU(cu.cuCtxSynchronize());
	OK_CU(cu.cuCtxGetLimit(&stack, CU_LIMIT_STACK_SIZE));
	CHECK(stack > 0 && stack < 4096);
	OK_CU(cu.cuDevicePrimaryCtxRelease(0));
}

int main(void)
{
	cuda_open();
	RUN(test_before_init);
	RUN(test_init);
	RUN(test_error_names);
	RUN(test_device);
	RUN(test_attributes);
	RUN(test_without_context);
	RUN(test_flags);
	RUN(test_primary_context);
	RUN(test_stack);
	RUN(test_limits);
	RUN(test_release);
	return tap_end();
}
