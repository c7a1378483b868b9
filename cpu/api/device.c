/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "cleanup.h"
#include "config.h"
#include "device_limits.h"
#include "entry.h"
#include "exports.h"

#define DEVICE_NAME "gpurun CPU device"

CUresult cuDeviceGetCount(int *count)
{
	CLEANUP(leave) struct api_call call = enter(NEED_INIT);

	TRY(call.result);
	if (!count)
		return CUDA_ERROR_INVALID_VALUE;
	*count = 1;
	return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice *dev, int ordinal)
{
	CLEANUP(leave) struct api_call call = enter(NEED_INIT);

	TRY(call.result);
	if (!dev)
		return CUDA_ERROR_INVALID_VALUE;
	if (ordinal)
		return CUDA_ERROR_INVALID_DEVICE;
	*dev = 0;
	return CUDA_SUCCESS;
}

static CUresult copy_text(const char *text, char *out, int length)
{
	if (!out || length <= 0)
		return CUDA_ERROR_INVALID_VALUE;
	snprintf(out, (size_t)length, "%s", text);
	return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char *name, int len, CUdevice dev)
{
	CLEANUP(leave) struct api_call call = enter(NEED_INIT);

	TRY(call.result);
	if (dev)
		return CUDA_ERROR_INVALID_DEVICE;
	return copy_text(DEVICE_NAME, name, len);
}

CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice dev)
{
	static const char bytes[16] = "gpurun-cpu-dev-0";
	CLEANUP(leave) struct api_call call = enter(NEED_INIT);

	TRY(call.result);
	if (!uuid)
		return CUDA_ERROR_INVALID_VALUE;
	if (dev)
		return CUDA_ERROR_INVALID_DEVICE;
	memcpy(uuid->bytes, bytes, sizeof(uuid->bytes));
	return CUDA_SUCCESS;
}

/* The two differ where a GPU is divided. */
CUresult cuDeviceGetUuid_v1(CUuuid *uuid, CUdevice dev)
{
	return cuDeviceGetUuid(uuid, dev);
}

/* There is no other device, and none is its own peer. */
CUresult cuDeviceCanAccessPeer(int *can, CUdevice dev, CUdevice peer)
{
	CLEANUP(leave) struct api_call call = enter(NEED_INIT);

	TRY(call.result);
	if (!can)
		return CUDA_ERROR_INVALID_VALUE;
	if (dev || peer)
		return CUDA_ERROR_INVALID_DEVICE;
	*can = 0;
	return CUDA_SUCCESS;
}

CUresult cuDeviceTotalMem(size_t *bytes, CUdevice dev)
{
	CLEANUP(leave) struct api_call call = enter(NEED_INIT);

	TRY(call.result);
	if (!bytes)
		return CUDA_ERROR_INVALID_VALUE;
	if (dev)
		return CUDA_ERROR_INVALID_DEVICE;
	*bytes = config.memory;
	return CUDA_SUCCESS;
}

/*
 * By attribute: the values of an H100 where they are true here. Numbers that mean nothing here are
 * those of a common GPU. What is not listed is 0: what does not exist (textures and arrays, handles
 * for other processes, IPC, peers, RDMA, pageable memory, reserved caches), and what would be
 * refused to a program. test/conformance/cuda/answers.differ has a reason for each that an H100
 * has otherwise.
 */
static const int fixed[DEVICE_ATTRIBUTES] = {
	[CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK] = DEVICE_MAX_THREADS,
	[CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X] = DEVICE_MAX_BLOCK_X,
	[CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y] = DEVICE_MAX_BLOCK_Y,
	[CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z] = DEVICE_MAX_BLOCK_Z,
	[CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X] = DEVICE_MAX_GRID_X,
	[CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y] = DEVICE_MAX_GRID_YZ,
	[CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z] = DEVICE_MAX_GRID_YZ,
	[CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK] = DEVICE_SHARED,
	[CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY] = 65536,
	[CU_DEVICE_ATTRIBUTE_WARP_SIZE] = 32,
	[CU_DEVICE_ATTRIBUTE_MAX_PITCH] = 2147483647,
	[CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK] = DEVICE_REGISTERS,
	[CU_DEVICE_ATTRIBUTE_CLOCK_RATE] = 1000000,
	[CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT] = 512, /* programs divide by it */
	[CU_DEVICE_ATTRIBUTE_GPU_OVERLAP] = 1,
	[CU_DEVICE_ATTRIBUTE_INTEGRATED] = 1,
	[CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY] = 1,
	[CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS] = 1,
	[CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE] = 1000000,
	[CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH] = 64,
	[CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE] = 4 << 20,
	[CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR] = DEVICE_SM_THREADS,
	[CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT] = 3,
	[CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING] = 1,
	[CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED] = 1, /* as hints */
	[CU_DEVICE_ATTRIBUTE_GLOBAL_L1_CACHE_SUPPORTED] = 1,
	[CU_DEVICE_ATTRIBUTE_LOCAL_L1_CACHE_SUPPORTED] = 1,
	[CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR] = DEVICE_REGISTERS,
	[CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY] = 1,
	[CU_DEVICE_ATTRIBUTE_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO] = 2,
	[CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS] = 1,
	[CU_DEVICE_ATTRIBUTE_COMPUTE_PREEMPTION_SUPPORTED] = 1,
	[CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM] = 1,
	[CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH] = 1,
	[CU_DEVICE_ATTRIBUTE_COOPERATIVE_MULTI_DEVICE_LAUNCH] = 1,
	[CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED] = 1,
	[CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED] = 1,
	[CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR] = DEVICE_SM_BLOCKS,
	[CU_DEVICE_ATTRIBUTE_READ_ONLY_HOST_REGISTER_SUPPORTED] = 1,
	[CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED] = 1,
	[CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS] = 1,
	[CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR] = 1,
	[CU_DEVICE_ATTRIBUTE_NUMA_ID] = -1,
};

static int configured(int attrib)
{
	switch (attrib) {
	case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
		return (int)config.threads;
	case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
		return (int)config.cc / 10;
	case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
		return (int)config.cc % 10;
	case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
		return (int)config.shared;
	case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR:
		return (int)config.shared + DEVICE_SM_SHARED;
	case CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK:
		return config.cc >= 80 ? DEVICE_SM_SHARED : 0;
	case CU_DEVICE_ATTRIBUTE_MEM_SYNC_DOMAIN_COUNT:
		return config.cc >= 90 ? 4 : 1;
	case CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH:
	case CU_DEVICE_ATTRIBUTE_TENSOR_MAP_ACCESS_SUPPORTED:
		return config.cc >= 90;
	default:
		return fixed[attrib];
	}
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attrib, CUdevice dev)
{
	CLEANUP(leave) struct api_call call = enter(NEED_INIT);

	TRY(call.result);
	if (!value || (int)attrib <= 0 || (int)attrib >= DEVICE_ATTRIBUTES)
		return CUDA_ERROR_INVALID_VALUE;
	if (dev)
		return CUDA_ERROR_INVALID_DEVICE;
	*value = configured((int)attrib);
	return CUDA_SUCCESS;
}

CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice dev)
{
	CLEANUP(leave) struct api_call call = enter(NEED_INIT);

	TRY(call.result);
	if (!major || !minor)
		return CUDA_ERROR_INVALID_VALUE;
	if (dev)
		return CUDA_ERROR_INVALID_DEVICE;
	*major = (int)config.cc / 10;
	*minor = (int)config.cc % 10;
	return CUDA_SUCCESS;
}

CUresult cuDeviceGetProperties(CUdevprop *props, CUdevice dev)
{
	CLEANUP(leave) struct api_call call = enter(NEED_INIT);

	TRY(call.result);
	if (!props)
		return CUDA_ERROR_INVALID_VALUE;
	if (dev)
		return CUDA_ERROR_INVALID_DEVICE;
	*props = (CUdevprop){
		.maxThreadsPerBlock = DEVICE_MAX_THREADS,
		.maxThreadsDim = { DEVICE_MAX_BLOCK_X, DEVICE_MAX_BLOCK_Y, DEVICE_MAX_BLOCK_Z },
		.maxGridSize = { DEVICE_MAX_GRID_X, DEVICE_MAX_GRID_YZ, DEVICE_MAX_GRID_YZ },
		.sharedMemPerBlock = DEVICE_SHARED,
		.totalConstantMemory = fixed[CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY],
		.SIMDWidth = fixed[CU_DEVICE_ATTRIBUTE_WARP_SIZE],
		.memPitch = fixed[CU_DEVICE_ATTRIBUTE_MAX_PITCH],
		.regsPerBlock = fixed[CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK],
		.clockRate = fixed[CU_DEVICE_ATTRIBUTE_CLOCK_RATE],
		.textureAlign = fixed[CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT],
	};
	return CUDA_SUCCESS;
}

/* Between two devices: there is one. */
CUresult cuDeviceGetP2PAttribute(int *value, CUdevice_P2PAttribute attrib, CUdevice src,
				 CUdevice dst)
{
	CLEANUP(leave) struct api_call call = enter(NEED_INIT);

	(void)attrib, (void)src, (void)dst;
	TRY(call.result);
	return value ? CUDA_ERROR_INVALID_DEVICE : CUDA_ERROR_INVALID_VALUE;
}

/* An unknown kind is one that the device does not have, and no error. */
CUresult cuDeviceGetExecAffinitySupport(int *value, CUexecAffinityType type, CUdevice dev)
{
	CLEANUP(leave) struct api_call call = enter(NEED_INIT);

	(void)type;
	TRY(call.result);
	if (!value)
		return CUDA_ERROR_INVALID_VALUE;
	if (dev)
		return CUDA_ERROR_INVALID_DEVICE;
	*value = 0;
	return CUDA_SUCCESS;
}

/*
 * There are no green contexts to divide the multiprocessors between: the one share is all of them,
 * so that it is the smallest too, and what each share is a multiple of.
 */
CUresult cuDeviceGetDevResource(CUdevice dev, CUdevResource *resource, CUdevResourceType type)
{
	CLEANUP(leave) struct api_call call = enter(NEED_INIT);

	TRY(call.result);
	if (dev)
		return CUDA_ERROR_INVALID_DEVICE;
	if (!resource)
		return CUDA_ERROR_INVALID_VALUE;
	if (type != CU_DEV_RESOURCE_TYPE_SM)
		return CUDA_ERROR_INVALID_RESOURCE_TYPE;
	memset(resource, 0, sizeof(*resource));
	resource->type = type;
	resource->sm = (CUdevSmResource){ config.threads, config.threads, config.threads };
	return CUDA_SUCCESS;
}

/* It identifies devices to graphics of Windows: on Linux there is none. */
CUresult cuDeviceGetLuid(char *luid, unsigned *nodes, CUdevice dev)
{
	CLEANUP(leave) struct api_call call = enter(NEED_INIT);

	TRY(call.result);
	if (!luid || !nodes)
		return CUDA_ERROR_INVALID_VALUE;
	if (dev)
		return CUDA_ERROR_INVALID_DEVICE;
	return CUDA_ERROR_NOT_SUPPORTED;
}

/* Textures are not executed; a program that asks for the limit gets an H100's. */
CUresult cuDeviceGetTexture1DLinearMaxWidth(size_t *width, CUarray_format format,
					    unsigned channels, CUdevice dev)
{
	static const unsigned bytes[] = {
		[CU_AD_FORMAT_UNSIGNED_INT8] = 1,  [CU_AD_FORMAT_SIGNED_INT8] = 1,
		[CU_AD_FORMAT_UNSIGNED_INT16] = 2, [CU_AD_FORMAT_SIGNED_INT16] = 2,
		[CU_AD_FORMAT_UNSIGNED_INT32] = 4, [CU_AD_FORMAT_SIGNED_INT32] = 4,
		[CU_AD_FORMAT_HALF] = 2,	   [CU_AD_FORMAT_FLOAT] = 4,
	};
	CLEANUP(leave) struct api_call call = enter(NEED_INIT);

	TRY(call.result);
	if (!width || (size_t)format >= sizeof(bytes) / sizeof(bytes[0]) || !bytes[format] ||
	    (channels != 1 && channels != 2 && channels != 4))
		return CUDA_ERROR_INVALID_VALUE;
	if (dev)
		return CUDA_ERROR_INVALID_DEVICE;
	*width = DEVICE_TEXTURE_LINEAR / (bytes[format] * channels);
	if (*width > DEVICE_TEXTURE_WIDTH)
		*width = DEVICE_TEXTURE_WIDTH;
	return CUDA_SUCCESS;
}

static CUresult check_atomics(const unsigned *capabilities, const CUatomicOperation *operations,
			      unsigned count)
{
	if (!capabilities || !operations || !count)
		return CUDA_ERROR_INVALID_VALUE;
	for (unsigned i = 0; i < count; i++)
		if (operations[i] > CU_ATOMIC_OPERATION_FLOAT_MAX)
			return CUDA_ERROR_INVALID_VALUE;
	return CUDA_SUCCESS;
}

/* As the attribute of native atomics between host and device says: none that are promised. */
CUresult cuDeviceGetHostAtomicCapabilities(unsigned *capabilities,
					   const CUatomicOperation *operations, unsigned count,
					   CUdevice dev)
{
	CLEANUP(leave) struct api_call call = enter(NEED_INIT);

	TRY(call.result);
	if (dev)
		return CUDA_ERROR_INVALID_DEVICE;
	TRY(check_atomics(capabilities, operations, count));
	memset(capabilities, 0, count * sizeof(*capabilities));
	return CUDA_SUCCESS;
}

/* Between two devices: there is one. */
CUresult cuDeviceGetP2PAtomicCapabilities(unsigned *capabilities,
					  const CUatomicOperation *operations, unsigned count,
					  CUdevice src, CUdevice dst)
{
	CLEANUP(leave) struct api_call call = enter(NEED_INIT);

	(void)src, (void)dst;
	TRY(call.result);
	TRY(check_atomics(capabilities, operations, count));
	return CUDA_ERROR_INVALID_DEVICE;
}
