/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Bad arguments of what is about the driver, devices and contexts. */
#ifndef CONFORMANCE_REFUSED_CONTEXT_H
#define CONFORMANCE_REFUSED_CONTEXT_H

#include "refused.h"

static void bad_logs(void)
{
	CUlogIterator at = 0, far = UINT32_MAX;
	char text[16];
	size_t size = sizeof(text), none = 0;

	HERE(cuLogsCurrent, (NULL, 0), VALUE);
	HERE(cuLogsRegisterCallback, (NULL, NULL, NULL), VALUE);
	HERE(cuLogsUnregisterCallback, (NULL), VALUE);
	HERE(cuLogsUnregisterCallback, ((CUlogsCallbackHandle)(void *)&at), VALUE);
	HERE(cuLogsDumpToFile, (NULL, NULL, 0), VALUE);
	HERE(cuLogsDumpToMemory, (&at, NULL, &size, 0), VALUE);
	HERE(cuLogsDumpToMemory, (&at, text, NULL, 0), VALUE);
	HERE(cuLogsDumpToMemory, (&at, text, &none, 0), VALUE);
	HERE(cuLogsDumpToMemory, (&far, text, &size, 0), VALUE);
	HERE(cuLogsCurrent, (&at, UNKNOWN), VALUE);
	HERE(cuLogsDumpToFile, (NULL, "/dev/null", UNKNOWN), VALUE);
	HERE(cuLogsDumpToMemory, (&at, text, &size, UNKNOWN), VALUE);
}

static void bad_driver(void)
{
	const char *text = "";
	void *function = NULL;

	REFUSED(cuInit, (1), VALUE);
	REFUSED(cuDriverGetVersion, (NULL), VALUE);
	REFUSED(cuGetErrorName, ((CUresult)12345, &text), VALUE);
	CHECK(!text);
	REFUSED(cuGetErrorString, ((CUresult)12345, &text), VALUE);
	HERE(cuGetErrorName, (CUDA_SUCCESS, NULL), VALUE);
	HERE(cuGetErrorString, (CUDA_SUCCESS, NULL), VALUE);
	HERE(cuGetExportTable, (NULL, NULL), VALUE);
	HERE(cuGetProcAddress, (NULL, &function, 12000, 0, NULL), VALUE);
	HERE(cuGetProcAddress, ("cuInit", NULL, 12000, 0, NULL), VALUE);
	REFUSED(cuGetProcAddress, ("cuInit", &function, 12000, UNKNOWN, NULL), VALUE);
	bad_logs();
	HERE(cuGetProcAddress_v1, (NULL, &function, 12000, 0), VALUE);
	REFUSED(cuGetProcAddress_v1, ("cuNothing", &function, 12000, 0), MISSING);
}

static void bad_abilities(void)
{
	CUatomicOperation operation = CU_ATOMIC_OPERATION_CAS, none = (CUatomicOperation)UNKNOWN;
	unsigned found = 0, nodes;
	CUdevResource resource;
	char luid[8];
	size_t size;

	HERE(cuDeviceGetLuid, (NULL, &nodes, 0), VALUE);
	HERE(cuDeviceGetLuid, (luid, NULL, 0), VALUE);
	REFUSED(cuDeviceGetLuid, (luid, &nodes, NONE), DEVICE);
	REFUSED(cuDeviceGetDevResource, (0, NULL, CU_DEV_RESOURCE_TYPE_SM), VALUE);
	REFUSED(cuDeviceGetDevResource, (NONE, NULL, CU_DEV_RESOURCE_TYPE_INVALID), DEVICE);
	REFUSED(cuDeviceGetDevResource, (NONE, &resource, CU_DEV_RESOURCE_TYPE_SM), DEVICE);
	REFUSED(cuDeviceGetDevResource, (0, &resource, CU_DEV_RESOURCE_TYPE_INVALID), RESOURCE);
	REFUSED(cuDeviceGetDevResource, (0, &resource, (CUdevResourceType)UNKNOWN), RESOURCE);
	REFUSED(cuDeviceGetTexture1DLinearMaxWidth, (NULL, CU_AD_FORMAT_FLOAT, 1, 0), VALUE);
	REFUSED(cuDeviceGetTexture1DLinearMaxWidth, (&size, (CUarray_format)UNKNOWN, 1, 0), VALUE);
	REFUSED(cuDeviceGetTexture1DLinearMaxWidth, (&size, CU_AD_FORMAT_FLOAT, 3, 0), VALUE);
	REFUSED(cuDeviceGetTexture1DLinearMaxWidth, (&size, CU_AD_FORMAT_FLOAT, 1, NONE), DEVICE);
	REFUSED(cuDeviceGetHostAtomicCapabilities, (NULL, &operation, 1, 0), VALUE);
	REFUSED(cuDeviceGetHostAtomicCapabilities, (&found, NULL, 1, 0), VALUE);
	REFUSED(cuDeviceGetHostAtomicCapabilities, (&found, &operation, 0, 0), VALUE);
	REFUSED(cuDeviceGetHostAtomicCapabilities, (&found, &none, 1, 0), VALUE);
	REFUSED(cuDeviceGetHostAtomicCapabilities, (&found, &operation, 1, NONE), DEVICE);
	REFUSED(cuDeviceGetP2PAtomicCapabilities, (NULL, &operation, 1, 0, 0), VALUE, DEVICE);
	REFUSED(cuDeviceGetP2PAtomicCapabilities, (&found, &operation, 1, 0, NONE), DEVICE);
}

static void bad_device(void)
{
	CUdevice device;
	CUuuid uuid;
	CUdevprop props;
	char name[64];
	size_t size;
	int value, other;

	REFUSED(cuDeviceGetCount, (NULL), VALUE);
	REFUSED(cuDeviceGet, (NULL, 0), VALUE);
	REFUSED(cuDeviceGet, (&device, -1), DEVICE);
	REFUSED(cuDeviceGet, (&device, NONE), DEVICE);
	REFUSED(cuDeviceGetName, (NULL, 64, 0), VALUE);
	REFUSED(cuDeviceGetName, (name, 64, NONE), DEVICE);
	REFUSED(cuDeviceGetUuid, (NULL, 0), VALUE);
	REFUSED(cuDeviceGetUuid, (&uuid, NONE), DEVICE);
	REFUSED(cuDeviceGetUuid_v1, (NULL, 0), VALUE);
	REFUSED(cuDeviceGetUuid_v1, (&uuid, NONE), DEVICE);
	REFUSED(cuDeviceTotalMem, (NULL, 0), VALUE);
	REFUSED(cuDeviceTotalMem, (&size, NONE), DEVICE);
	REFUSED(cuDeviceGetAttribute, (NULL, 1, 0), VALUE);
	REFUSED(cuDeviceGetAttribute, (&value, 0, 0), VALUE);
	REFUSED(cuDeviceGetAttribute, (&value, 9999, 0), VALUE);
	REFUSED(cuDeviceGetAttribute, (&value, 1, NONE), DEVICE);
	REFUSED(cuDeviceGetProperties, (NULL, 0), VALUE);
	REFUSED(cuDeviceGetProperties, (&props, NONE), DEVICE);
	REFUSED(cuDeviceComputeCapability, (NULL, NULL, 0), VALUE);
	REFUSED(cuDeviceComputeCapability, (&value, &other, NONE), DEVICE);
	REFUSED(cuDeviceGetByPCIBusId, (NULL, "0000:00:00.0"), VALUE);
	REFUSED(cuDeviceGetByPCIBusId, (&device, NULL), VALUE);
	REFUSED(cuDeviceGetByPCIBusId, (&device, "no bus"), VALUE);
	REFUSED(cuDeviceGetPCIBusId, (NULL, 64, 0), VALUE);
	REFUSED(cuDeviceGetPCIBusId, (name, 64, NONE), DEVICE);
	REFUSED(cuDeviceCanAccessPeer, (NULL, 0, 0), VALUE, DEVICE);
	REFUSED(cuDeviceCanAccessPeer, (&value, 0, NONE), DEVICE);
	REFUSED(cuDeviceGetP2PAttribute, (NULL, 1, 0, 0), VALUE, DEVICE);
	REFUSED(cuDeviceGetP2PAttribute, (&value, 1, 0, 0), DEVICE);
	REFUSED(cuDeviceGetP2PAttribute, (&value, 1, 0, NONE), DEVICE);
	REFUSED(cuDeviceGetExecAffinitySupport, (NULL, 0, 0), VALUE);
	REFUSED(cuDeviceGetExecAffinitySupport, (&value, 0, NONE), DEVICE);
	OK_CU(cu.cuDeviceGetExecAffinitySupport(&value, UNKNOWN, 0));
	bad_abilities();
}

static void bad_primary(void)
{
	CUcontext context;
	unsigned flags;
	int active;

	REFUSED(cuDevicePrimaryCtxRetain, (NULL, 0), VALUE);
	REFUSED(cuDevicePrimaryCtxRetain, (&context, NONE), DEVICE);
	REFUSED(cuDevicePrimaryCtxRelease, (NONE), DEVICE);
	REFUSED(cuDevicePrimaryCtxReset, (NONE), DEVICE);
	REFUSED(cuDevicePrimaryCtxGetState, (NONE, &flags, &active), DEVICE);
	HERE(cuDevicePrimaryCtxGetState, (0, NULL, NULL), VALUE);
	REFUSED(cuDevicePrimaryCtxSetFlags, (NONE, 0), DEVICE);
	REFUSED(cuDevicePrimaryCtxSetFlags, (0, 0x10000), VALUE);
	REFUSED(cuDevicePrimaryCtxSetFlags, (0, 3), VALUE);
}

static void bad_use(void)
{
	CUcontext same;

	REFUSED(cuCtxAttach, (NULL, 0), VALUE);
	REFUSED(cuCtxAttach, (&same, UNKNOWN), VALUE);
	REFUSED(cuCtxDetach, (NULL), CONTEXT, VALUE);
	REFUSED(cuCtxGetExecAffinity, (NULL, CU_EXEC_AFFINITY_TYPE_SM_COUNT), VALUE);
	REFUSED(cuFlushGPUDirectRDMAWrites,
		((CUflushGPUDirectRDMAWritesTarget)UNKNOWN,
		 CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_OWNER),
		VALUE, CUDA_ERROR_NOT_SUPPORTED);
	REFUSED(cuFlushGPUDirectRDMAWrites,
		(CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TARGET_CURRENT_CTX,
		 (CUflushGPUDirectRDMAWritesScope)UNKNOWN),
		VALUE, CUDA_ERROR_NOT_SUPPORTED);
	HERE(cuThreadExchangeStreamCaptureMode, (NULL), VALUE);
}

static void bad_context(void)
{
	CUcontext made = NULL;
	unsigned long long id;
	unsigned version;
	size_t limit;

	REFUSED(cuCtxCreate, (NULL, NULL, 0, 0), VALUE);
	REFUSED(cuCtxCreate, (&made, NULL, 0x10000, 0), VALUE);
	REFUSED(cuCtxCreate, (&made, NULL, 0, NONE), DEVICE);
	REFUSED(cuCtxCreate_v2, (NULL, 0, 0), VALUE);
	REFUSED(cuCtxCreate_v2, (&made, 0, NONE), DEVICE);
	REFUSED(cuCtxCreate_v3, (NULL, NULL, 0, 0, 0), VALUE);
	REFUSED(cuCtxCreate_v3, (&made, NULL, 0, 0, NONE), DEVICE);
	CHECK(!made);
	REFUSED(cuCtxDestroy, (NULL), VALUE, CONTEXT);
	REFUSED(cuCtxPushCurrent, (NULL), VALUE, CONTEXT);
	HERE(cuCtxGetCurrent, (NULL), VALUE);
	REFUSED(cuCtxGetDevice, (NULL), VALUE);
	REFUSED(cuCtxGetDevice_v2, (NULL, good.context), VALUE);
	REFUSED(cuCtxGetFlags, (NULL), VALUE);
	REFUSED(cuCtxSetFlags, (0x10000), VALUE);
	REFUSED(cuCtxGetId, (good.context, NULL), VALUE);
	REFUSED(cuCtxGetApiVersion, (good.context, NULL), VALUE);
	REFUSED(cuCtxGetCacheConfig, (NULL), VALUE);
	REFUSED(cuCtxSetCacheConfig, ((CUfunc_cache)UNKNOWN), VALUE);
	REFUSED(cuCtxGetSharedMemConfig, (NULL), VALUE);
	REFUSED(cuCtxSetSharedMemConfig, ((CUsharedconfig)UNKNOWN), VALUE);
	REFUSED(cuCtxGetLimit, (NULL, CU_LIMIT_STACK_SIZE), VALUE);
	REFUSED(cuCtxGetLimit, (&limit, (CUlimit)UNKNOWN), VALUE, LIMIT);
	REFUSED(cuCtxSetLimit, ((CUlimit)UNKNOWN, 1), VALUE, LIMIT);
	/* What a GPU's driver answers: the manual names CONTEXT for the current one itself. */
	REFUSED(cuCtxEnablePeerAccess, (good.context, 0), CUDA_ERROR_PEER_ACCESS_UNSUPPORTED);
	REFUSED(cuCtxEnablePeerAccess, (good.context, 1), VALUE);
	REFUSED(cuCtxEnablePeerAccess, (NULL, 0), CONTEXT);
	HERE(cuCtxDisablePeerAccess, (good.context), CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
	REFUSED(cuCtxDisablePeerAccess, (NULL), CONTEXT);
	REFUSED(cuCtxRecordEvent, (good.context, NULL), HANDLE);
	REFUSED(cuCtxWaitEvent, (good.context, NULL), HANDLE);
	OK_CU(cu.cuCtxCreate_v2(&made, 0, 0));
	OK_CU(cu.cuCtxDestroy(made));
	HERE(cuCtxDestroy, (made), CONTEXT, GONE);
	HERE(cuCtxPushCurrent, (made), CONTEXT, GONE);
	HERE(cuCtxSetCurrent, (made), CONTEXT, GONE);
	HERE(cuCtxSynchronize_v2, (made), CONTEXT, GONE);
	HERE(cuCtxGetId, (made, &id), CONTEXT, GONE);
	HERE(cuCtxGetApiVersion, (made, &version), CONTEXT, GONE);
	HERE(cuCtxGetDevice_v2, (&good.device, made), CONTEXT, GONE);
	HERE(cuCtxRecordEvent, (made, good.event), CONTEXT, GONE);
	HERE(cuCtxWaitEvent, (made, good.event), CONTEXT, GONE);
	HERE(cuCtxEnablePeerAccess, (made, 0), CONTEXT, GONE);
	HERE(cuCtxDisablePeerAccess, (made), CONTEXT, GONE);
	bad_use();
}

/* Nothing is current: most calls have no context to work in. */
static void bad_no_context(void)
{
	CUdeviceptr address;
	CUmodule module;
	CUstream stream;
	CUevent event;
	CUdevice device;
	unsigned flags;
	size_t size;
	int least;

	OK_CU(cu.cuCtxPopCurrent(NULL));
	REFUSED(cuCtxPopCurrent, (NULL), CONTEXT);
	REFUSED(cuCtxGetDevice, (&device), CONTEXT);
	REFUSED(cuCtxGetFlags, (&flags), CONTEXT);
	REFUSED(cuCtxGetLimit, (&size, CU_LIMIT_STACK_SIZE), CONTEXT);
	REFUSED(cuCtxSetLimit, (CU_LIMIT_STACK_SIZE, 1024), CONTEXT);
	REFUSED(cuCtxGetStreamPriorityRange, (&least, NULL), CONTEXT);
	REFUSED(cuCtxSynchronize, (), CONTEXT);
	HERE(cuCtxResetPersistingL2Cache, (), CONTEXT);
	REFUSED(cuProfilerStart, (), CONTEXT);
	REFUSED(cuProfilerStop, (), CONTEXT);
	REFUSED(cuMemAlloc, (&address, 4), CONTEXT);
	REFUSED(cuMemAllocManaged, (&address, 4, CU_MEM_ATTACH_GLOBAL), CONTEXT);
	REFUSED(cuMemGetInfo, (&size, &size), CONTEXT);
	REFUSED(cuModuleLoadData, (&module, PTX_ALL), CONTEXT);
	REFUSED(cuStreamCreate, (&stream, 0), CONTEXT);
	REFUSED(cuEventCreate, (&event, 0), CONTEXT);
	OK_CU(cu.cuCtxPushCurrent(good.context));
}

#endif
