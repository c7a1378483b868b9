/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is said to calls inside a host function: of every call. */
#ifndef CONFORMANCE_ANSWERS_HOST_H
#define CONFORMANCE_ANSWERS_HOST_H

#include "answers.h"

/* What the calls are about, and room for what they return. */
static struct {
	CUcontext context, other;
	CUmodule module, spare_module;
	CUfunction function;
	CUlibrary library, spare_library;
	CUkernel kernel;
	CUlinkState link, spare_link;
	CUstream stream, idle, spare_stream;    /* the host function's, and others */
	CUevent done, later, event, spare_event, old_event;
	atomic_bool recorded; /* later is, in the stream after the host function */
	CUmemoryPool pool, spare_pool;
	CUdeviceptr memory, managed, spare, spare_async, reserved;
	CUmemGenericAllocationHandle handle;
	void *host, *spare_host, *registered;
	const char *called; /* by LaunchHostFunc or by AddCallback */
	int index;
} in;

static char room[4 * 4096] __attribute__((aligned(4096)));

static struct {
	CUcontext context;
	CUgreenCtx green;
	CUmodule module;
	CUfunction function;
	CUlibrary library;
	CUkernel kernel;
	CUlinkState link;
	CUstream stream;
	CUevent event;
	CUmemoryPool pool;
	CUdeviceptr address;
	CUmemGenericAllocationHandle handle;
	CUtensorMap map;
	CUuuid uuid;
	CUdevResource resource;
	CUexecAffinityParam affinity;
	CUdevprop props;
	CUstreamAttrValue attribute;
	CUmemAccess_flags access;
	const char *text;
	void *pointer;
	size_t size, other_size;
	uint64_t wide;
	unsigned long long id;
	float ms;
	int number, other_number;
	unsigned flags;
	char name[64];
} out;

/* With $ANSWERS_FROM the calls before this one are left out: a driver may hang in one. */
static bool wanted(void)
{
	const char *from = getenv("ANSWERS_FROM");

	return in.index++ >= (from ? atoi(from) : 0);
}

#define IN(name, args)                                                              \
	do {                                                                        \
		if (wanted())                                                       \
			answer("in %s " #name #args ": %d", in.called,              \
			       cu.name ? (int)cu.name args : -1);                   \
	} while (0)

static void nothing(void *data)
{
	(void)data;
}

static void called_back(CUstream stream, CUresult result, void *data)
{
	(void)stream, (void)result, (void)data;
}

static void in_driver(void)
{
	CUmemLocation here = { CU_MEM_LOCATION_TYPE_DEVICE, 0 };

	IN(cuInit, (0));
	IN(cuDriverGetVersion, (&out.number));
	IN(cuGetErrorName, (1, &out.text));
	IN(cuGetErrorString, (1, &out.text));
	IN(cuGetProcAddress, ("cuInit", &out.pointer, 12000, 0, NULL));
	IN(cuGetProcAddress_v1, ("cuInit", &out.pointer, 12000, 0));
	IN(cuDeviceGet, (&out.number, 0));
	IN(cuDeviceGetCount, (&out.number));
	IN(cuDeviceGetAttribute, (&out.number, 1, 0));
	IN(cuDeviceGetName, (out.name, 64, 0));
	IN(cuDeviceGetPCIBusId, (out.name, 64, 0));
	IN(cuDeviceGetByPCIBusId, (&out.number, "nonsense"));
	IN(cuDeviceGetUuid, (&out.uuid, 0));
	IN(cuDeviceGetUuid_v1, (&out.uuid, 0));
	IN(cuDeviceGetLuid, (out.name, &out.flags, 0));
	IN(cuDeviceGetProperties, (&out.props, 0));
	IN(cuDeviceComputeCapability, (&out.number, &out.other_number, 0));
	IN(cuDeviceTotalMem, (&out.size, 0));
	IN(cuDeviceCanAccessPeer, (&out.number, 0, 0));
	IN(cuDeviceGetP2PAttribute, (&out.number, 1, 0, 0));
	IN(cuDeviceGetExecAffinitySupport, (&out.number, 0, 0));
	IN(cuDeviceGetDevResource, (0, &out.resource, CU_DEV_RESOURCE_TYPE_SM));
	IN(cuDeviceGetTexture1DLinearMaxWidth, (&out.size, CU_AD_FORMAT_FLOAT, 1, 0));
	IN(cuDeviceGetHostAtomicCapabilities, (&out.flags, (CUatomicOperation[]){ 0 }, 1, 0));
	IN(cuDeviceGetP2PAtomicCapabilities, (&out.flags, (CUatomicOperation[]){ 0 }, 1, 0, 0));
	IN(cuDeviceGetDefaultMemPool, (&out.pool, 0));
	IN(cuDeviceGetMemPool, (&out.pool, 0));
	IN(cuDeviceSetMemPool, (0, in.pool));
	IN(cuMemGetDefaultMemPool, (&out.pool, &here, CU_MEM_ALLOCATION_TYPE_PINNED));
	IN(cuMemGetMemPool, (&out.pool, &here, CU_MEM_ALLOCATION_TYPE_PINNED));
	IN(cuMemSetMemPool, (&here, CU_MEM_ALLOCATION_TYPE_PINNED, in.pool));
	IN(cuDevicePrimaryCtxGetState, (0, &out.flags, &out.number));
	IN(cuDevicePrimaryCtxSetFlags, (0, 0));
	IN(cuDevicePrimaryCtxRetain, (&out.context, 0));
	IN(cuThreadExchangeStreamCaptureMode, ((CUstreamCaptureMode[]){ 0 }));
	IN(cuProfilerStart, ());
	IN(cuProfilerStop, ());
	IN(cuLogsCurrent, (&out.flags, 0));
	IN(cuLogsDumpToMemory, (NULL, out.name, (size_t[]){ 64 }, 0));
	IN(cuLogsDumpToFile, (NULL, "/dev/null", 0));
	IN(cuLogsRegisterCallback, (NULL, NULL, NULL));
	IN(cuLogsUnregisterCallback, (NULL));
	IN(cuFlushGPUDirectRDMAWrites, (0, 100));
	IN(cuGetExportTable, ((const void **)&out.pointer, &out.uuid));
}

static void in_context(void)
{
	IN(cuCtxGetCurrent, (&out.context));
	IN(cuCtxGetDevice, (&out.number));
	IN(cuCtxGetDevice_v2, (&out.number, in.context));
	IN(cuCtxGetApiVersion, (in.context, &out.flags));
	IN(cuCtxGetCacheConfig, ((CUfunc_cache *)&out.number));
	IN(cuCtxGetExecAffinity, (&out.affinity, 0));
	IN(cuCtxGetFlags, (&out.flags));
	IN(cuCtxGetId, (in.context, &out.id));
	IN(cuCtxGetLimit, (&out.size, CU_LIMIT_STACK_SIZE));
	IN(cuCtxGetSharedMemConfig, ((CUsharedconfig *)&out.number));
	IN(cuCtxGetStreamPriorityRange, (&out.number, &out.other_number));
	IN(cuCtxSetCacheConfig, (0));
	IN(cuCtxSetFlags, (0));
	IN(cuCtxSetLimit, (CU_LIMIT_STACK_SIZE, 1024));
	IN(cuCtxSetSharedMemConfig, (0));
	IN(cuCtxResetPersistingL2Cache, ());
	IN(cuCtxSetCurrent, (in.context));
	IN(cuCtxPushCurrent, (in.context));
	IN(cuCtxPopCurrent, (&out.context));
	IN(cuCtxSynchronize, ());
	IN(cuCtxSynchronize_v2, (in.other));
	IN(cuCtxRecordEvent, (in.context, in.event));
	IN(cuCtxWaitEvent, (in.context, in.done));
	IN(cuCtxCreate, (&out.context, NULL, 0, 0));
	IN(cuCtxCreate_v2, (&out.context, 0, 0));
	IN(cuCtxCreate_v3, (&out.context, NULL, 0, 0, 0));
	IN(cuCtxAttach, (&out.context, 0));
	IN(cuCtxDetach, (in.other));
	IN(cuCtxEnablePeerAccess, (in.other, 0));
	IN(cuCtxDisablePeerAccess, (in.other));
}

static void in_stream(void)
{
	IN(cuStreamQuery, (in.idle));
	IN(cuStreamQuery, (in.stream));
	IN(cuStreamQuery, (NULL));
	IN(cuStreamQuery, (CU_STREAM_PER_THREAD));
	IN(cuStreamSynchronize, (in.idle));
	IN(cuStreamSynchronize, (CU_STREAM_PER_THREAD));
	IN(cuStreamWaitEvent, (in.idle, in.done, 0));
	IN(cuStreamGetCtx, (in.stream, &out.context));
	IN(cuStreamGetCtx_v2, (in.stream, &out.context, &out.green));
	IN(cuStreamGetGreenCtx, (in.stream, &out.green));
	IN(cuStreamGetDevice, (in.stream, &out.number));
	IN(cuStreamGetFlags, (in.stream, &out.flags));
	IN(cuStreamGetId, (in.stream, &out.id));
	IN(cuStreamGetPriority, (in.stream, &out.number));
	IN(cuStreamGetAttribute, (in.stream, 3, &out.attribute));
	IN(cuStreamSetAttribute, (in.idle, 3, &(CUstreamAttrValue){ .syncPolicy = 1 }));
	IN(cuStreamCopyAttributes, (in.idle, in.stream));
	IN(cuStreamIsCapturing, (in.stream, (CUstreamCaptureStatus *)&out.number));
	IN(cuStreamGetCaptureInfo,
	   (in.stream, (CUstreamCaptureStatus *)&out.number, NULL, NULL, NULL, NULL, NULL));
	IN(cuStreamGetCaptureInfo_v1, (in.stream, (CUstreamCaptureStatus *)&out.number, NULL));
	IN(cuStreamGetCaptureInfo_v2,
	   (in.stream, (CUstreamCaptureStatus *)&out.number, NULL, NULL, NULL, NULL));
	IN(cuStreamCreate, (&out.stream, 1));
	IN(cuStreamCreateWithPriority, (&out.stream, 1, 0));
	IN(cuStreamDestroy, (in.spare_stream));
	IN(cuStreamAddCallback, (in.idle, called_back, NULL, 0));
	IN(cuStreamAttachMemAsync, (in.idle, in.managed, 0, CU_MEM_ATTACH_GLOBAL));
	IN(cuStreamBatchMemOp,
	   (in.idle, 1, &(CUstreamBatchMemOpParams){ .writeValue = { 2, in.memory, { 1 }, 0, 0 } },
	    0));
	IN(cuStreamWriteValue32, (in.idle, in.memory, 1, 0));
	IN(cuStreamWriteValue64, (in.idle, in.memory, 1, 0));
	IN(cuStreamWaitValue32, (in.idle, in.memory, 0, 0));
	IN(cuStreamWaitValue64, (in.idle, in.memory, 0, 0));
	IN(cuEventQuery, (in.done));
	IN(cuEventQuery, (in.later));
	IN(cuEventQuery, (in.event));
	IN(cuEventRecord, (in.event, in.idle));
	IN(cuEventRecordWithFlags, (in.event, in.idle, 0));
	IN(cuEventSynchronize, (in.done));
	IN(cuEventElapsedTime, (&out.ms, in.done, in.done));
	IN(cuEventElapsedTime_v2, (&out.ms, in.done, in.done));
	IN(cuEventCreate, (&out.event, 0));
	IN(cuEventDestroy, (in.spare_event));
	IN(cuLaunchHostFunc, (in.idle, nothing, NULL));
	IN(cuLaunchHostFunc, (in.stream, nothing, NULL));
	IN(cuLaunchHostFunc, (NULL, nothing, NULL));
	IN(cuEventRecord, (in.event, NULL));
}

static void in_code(void)
{
	void *none[] = { &in.memory };
	CUlaunchConfig how = { 1, 1, 1, 1, 1, 1, 0, in.idle, NULL, 0 };
	CUDA_LAUNCH_PARAMS all = { in.function, 1, 1, 1, 1, 1, 1, 0, in.idle, none };

	IN(cuModuleLoad, (&out.module, "/no/file"));
	IN(cuModuleLoadData, (&out.module, PTX_ALL));
	IN(cuModuleLoadDataEx, (&out.module, PTX_ALL, 0, NULL, NULL));
	IN(cuModuleLoadFatBinary, (&out.module, PTX_ALL));
	IN(cuModuleUnload, (in.spare_module));
	IN(cuModuleGetFunction, (&out.function, in.module, "step"));
	IN(cuModuleGetGlobal, (&out.address, &out.size, in.module, "table"));
	IN(cuModuleGetFunctionCount, (&out.flags, in.module));
	IN(cuModuleEnumerateFunctions, (&out.function, 1, in.module));
	IN(cuModuleGetLoadingMode, ((CUmoduleLoadingMode *)&out.number));
	IN(cuFuncGetAttribute, (&out.number, 0, in.function));
	IN(cuFuncSetAttribute, (in.function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 100));
	IN(cuFuncGetModule, (&out.module, in.function));
	IN(cuFuncGetName, (&out.text, in.function));
	IN(cuFuncGetParamInfo, (in.function, 0, &out.size, &out.other_size));
	IN(cuFuncIsLoaded, ((CUfunctionLoadingState *)&out.number, in.function));
	IN(cuFuncLoad, (in.function));
	IN(cuFuncSetCacheConfig, (in.function, 0));
	IN(cuFuncSetSharedMemConfig, (in.function, 0));
	IN(cuFuncSetBlockShape, (in.function, 1, 1, 1));
	IN(cuFuncSetSharedSize, (in.function, 0));
	IN(cuParamSetSize, (in.function, 8));
	IN(cuParamSeti, (in.function, 0, 0));
	IN(cuParamSetf, (in.function, 0, 0));
	IN(cuParamSetv, (in.function, 0, &in.memory, 8));
	IN(cuLaunch, (in.function));
	IN(cuLaunchGrid, (in.function, 1, 1));
	IN(cuLaunchGridAsync, (in.function, 1, 1, in.idle));
	IN(cuLaunchKernel, (in.function, 1, 1, 1, 1, 1, 1, 0, in.idle, none, NULL));
	IN(cuLaunchKernelEx, (&how, in.function, none, NULL));
	IN(cuLaunchCooperativeKernel, (in.function, 1, 1, 1, 1, 1, 1, 0, in.idle, none));
	IN(cuLaunchCooperativeKernelMultiDevice, (&all, 1, 0));
	IN(cuOccupancyMaxActiveBlocksPerMultiprocessor, (&out.number, in.function, 32, 0));
	IN(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
	   (&out.number, in.function, 32, 0, 0));
	IN(cuOccupancyMaxPotentialBlockSize,
	   (&out.number, &out.other_number, in.function, NULL, 0, 0));
	IN(cuOccupancyMaxPotentialBlockSizeWithFlags,
	   (&out.number, &out.other_number, in.function, NULL, 0, 0, 0));
	IN(cuOccupancyAvailableDynamicSMemPerBlock, (&out.size, in.function, 1, 32));
	IN(cuOccupancyMaxActiveClusters, (&out.number, in.function, &how));
	IN(cuOccupancyMaxPotentialClusterSize, (&out.number, in.function, &how));
}

static void in_library(void)
{
	static char text[] = PTX_HEAD PTX_NOTHING;
	const uint64_t dims[] = { 64, 64, 1, 1, 1 }, strides[] = { 256, 16384, 16384, 16384 };
	const uint32_t box[] = { 8, 8, 1, 1, 1 }, ones[] = { 1, 1, 1, 1, 1 };
	const int low[] = { 0, 0, 0 };

	IN(cuLibraryLoadData, (&out.library, PTX_ALL, NULL, NULL, 0, NULL, NULL, 0));
	IN(cuLibraryLoadFromFile, (&out.library, "/no/file", NULL, NULL, 0, NULL, NULL, 0));
	IN(cuLibraryUnload, (in.spare_library));
	IN(cuLibraryEnumerateKernels, (&out.kernel, 1, in.library));
	IN(cuLibraryGetKernelCount, (&out.flags, in.library));
	IN(cuLibraryGetGlobal, (&out.address, &out.size, in.library, "table"));
	IN(cuLibraryGetManaged, (&out.address, &out.size, in.library, "table"));
	IN(cuLibraryGetKernel, (&out.kernel, in.library, "step"));
	IN(cuLibraryGetModule, (&out.module, in.library));
	IN(cuLibraryGetUnifiedFunction, (&out.pointer, in.library, "step"));
	IN(cuKernelGetAttribute, (&out.number, 0, in.kernel, 0));
	IN(cuKernelSetAttribute, (CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 100, in.kernel, 0));
	IN(cuKernelGetFunction, (&out.function, in.kernel));
	IN(cuKernelGetLibrary, (&out.library, in.kernel));
	IN(cuKernelGetName, (&out.text, in.kernel));
	IN(cuKernelGetParamInfo, (in.kernel, 0, &out.size, &out.other_size));
	IN(cuKernelSetCacheConfig, (in.kernel, 0, 0));
	IN(cuLinkCreate, (0, NULL, NULL, &out.link));
	IN(cuLinkAddData, (in.link, CU_JIT_INPUT_PTX, text, sizeof(text), "x", 0, NULL, NULL));
	IN(cuLinkAddFile, (in.link, CU_JIT_INPUT_PTX, "/no/file", 0, NULL, NULL));
	IN(cuLinkComplete, (in.link, &out.pointer, &out.size));
	IN(cuLinkDestroy, (in.spare_link));
	IN(cuTensorMapEncodeTiled,
	   (&out.map, 7, 2, (void *)(uintptr_t)in.managed, dims, strides, box, ones, 0, 0, 0, 0));
	IN(cuTensorMapEncodeIm2col,
	   (&out.map, 7, 4, (void *)(uintptr_t)in.managed, dims, strides, low, low, 8, 8, ones, 0, 0,
	    0, 0));
	IN(cuTensorMapEncodeIm2colWide,
	   (&out.map, 7, 4, (void *)(uintptr_t)in.managed, dims, strides, 0, 0, 8, 8, ones, 0, 0, 0,
	    0, 0));
	IN(cuTensorMapReplaceAddress, (&out.map, (void *)(uintptr_t)in.managed));
}

static void in_allocation(void)
{
	CUmemPoolProps pool = { .allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
				.location = { CU_MEM_LOCATION_TYPE_DEVICE, 0 } };
	CUmemAllocationProp props = { .type = CU_MEM_ALLOCATION_TYPE_PINNED,
				      .location = { CU_MEM_LOCATION_TYPE_DEVICE, 0 } };
	CUmemAccessDesc access = { pool.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE };
	uint64_t zero = 0;

	IN(cuMemAlloc, (&out.address, 64));
	IN(cuMemAllocHost, (&out.pointer, 64));
	IN(cuMemAllocManaged, (&out.address, 64, CU_MEM_ATTACH_GLOBAL));
	IN(cuMemAllocPitch, (&out.address, &out.size, 64, 2, 4));
	IN(cuMemAllocAsync, (&out.address, 64, in.idle));
	IN(cuMemAllocFromPoolAsync, (&out.address, 64, in.pool, in.idle));
	IN(cuMemHostAlloc, (&out.pointer, 64, 0));
	IN(cuMemHostRegister, (room + 8192, 4096, 0));
	IN(cuMemHostUnregister, (room));
	IN(cuMemHostGetDevicePointer, (&out.address, in.host, 0));
	IN(cuMemHostGetFlags, (&out.flags, in.host));
	IN(cuMemFree, (0));
	IN(cuMemFree, (in.spare));
	IN(cuMemFreeAsync, (in.spare_async, in.idle));
	IN(cuMemFreeHost, (in.spare_host));
	IN(cuMemGetAddressRange, (&out.address, &out.size, in.memory));
	IN(cuMemGetInfo, (&out.size, &out.other_size));
	IN(cuMemPoolCreate, (&out.pool, &pool));
	IN(cuMemPoolDestroy, (in.spare_pool));
	IN(cuMemPoolGetAccess, (&out.access, in.pool, &pool.location));
	IN(cuMemPoolSetAccess, (in.pool, &access, 1));
	IN(cuMemPoolGetAttribute, (in.pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &out.wide));
	IN(cuMemPoolSetAttribute, (in.pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &zero));
	IN(cuMemPoolTrimTo, (in.pool, 0));
	IN(cuMemAddressReserve, (&out.address, 2 << 20, 0, 0, 0));
	IN(cuMemAddressFree, (in.reserved, 2 << 20));
	IN(cuMemCreate, (&out.handle, 2 << 20, &props, 0));
	IN(cuMemExportToShareableHandle, (&out.number, in.handle, 1, 0));
	IN(cuMemGetAccess, (&out.id, &pool.location, in.memory));
	IN(cuMemGetAllocationGranularity, (&out.size, &props, 0));
	IN(cuMemGetAllocationPropertiesFromHandle, (&props, in.handle));
	IN(cuMemMap, (in.reserved, 2 << 20, 0, in.handle, 0));
	IN(cuMemSetAccess, (in.reserved, 2 << 20, &access, 1));
	IN(cuMemUnmap, (in.reserved, 2 << 20));
	IN(cuMemRetainAllocationHandle, (&out.handle, (void *)(uintptr_t)in.reserved));
	IN(cuMemRelease, (in.handle));
	IN(cuPointerGetAttribute, (&out.wide, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, in.memory));
	IN(cuPointerGetAttributes,
	   (1, (CUpointer_attribute[]){ CU_POINTER_ATTRIBUTE_MEMORY_TYPE },
	    (void *[]){ &out.wide }, in.memory));
	IN(cuPointerSetAttribute, (&(unsigned){ 1 }, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, in.memory));
}

static void in_managed(void)
{
	CUmemLocation here = { CU_MEM_LOCATION_TYPE_DEVICE, 0 };
	CUdeviceptr address = in.managed;
	size_t size = 4096, first = 0;
	void *data[] = { &out.number };
	CUmem_range_attribute attribute = CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY;

	IN(cuMemAdvise, (in.managed, 4096, CU_MEM_ADVISE_SET_READ_MOSTLY, here));
	IN(cuMemAdvise_v1, (in.managed, 4096, CU_MEM_ADVISE_SET_READ_MOSTLY, 0));
	IN(cuMemPrefetchAsync, (in.managed, 4096, here, 0, in.idle));
	IN(cuMemPrefetchAsync_v1, (in.managed, 4096, 0, in.idle));
	IN(cuMemPrefetchBatchAsync, (&address, &size, 1, &here, &first, 1, 0, in.idle));
	IN(cuMemDiscardBatchAsync, (&address, &size, 1, 0, in.idle));
	IN(cuMemDiscardAndPrefetchBatchAsync, (&address, &size, 1, &here, &first, 1, 0, in.idle));
	IN(cuMemRangeGetAttribute, (&out.number, 4, attribute, in.managed, 4096));
	IN(cuMemRangeGetAttributes,
	   (data, (size_t[]){ 4 }, &attribute, 1, in.managed, 4096));
}

static void in_copy(void)
{
	CUDA_MEMCPY2D two = { .srcMemoryType = CU_MEMORYTYPE_HOST, .srcHost = in.host, .srcPitch = 64,
			      .dstMemoryType = CU_MEMORYTYPE_DEVICE, .dstDevice = in.memory,
			      .dstPitch = 64, .WidthInBytes = 64, .Height = 1 };
	CUDA_MEMCPY3D three = { .srcMemoryType = CU_MEMORYTYPE_HOST, .srcHost = in.host,
				.srcPitch = 64, .srcHeight = 1,
				.dstMemoryType = CU_MEMORYTYPE_DEVICE, .dstDevice = in.memory,
				.dstPitch = 64, .dstHeight = 1,
				.WidthInBytes = 64, .Height = 1, .Depth = 1 };
	CUDA_MEMCPY3D_PEER peer = three;
	CUdeviceptr to = in.memory, from = (uintptr_t)in.host;
	size_t size = 64, first = 0, failed = 0;
	CUmemcpyAttributes how = { .srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM };
	CUDA_MEMCPY3D_BATCH_OP op = {
		.src = { CU_MEMCPY_OPERAND_TYPE_POINTER, { .ptr = { from, 0, 0, { 0, 0 } } } },
		.dst = { CU_MEMCPY_OPERAND_TYPE_POINTER, { .ptr = { to, 0, 0, { 0, 0 } } } },
		.extent = { 64, 1, 1 }, .srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM };

	peer.reserved0 = peer.reserved1 = in.context;
	IN(cuMemcpy, (in.memory, (uintptr_t)in.host, 64));
	IN(cuMemcpyAsync, (in.memory, (uintptr_t)in.host, 64, in.idle));
	IN(cuMemcpyHtoD, (in.memory, in.host, 64));
	IN(cuMemcpyHtoDAsync, (in.memory, in.host, 64, in.idle));
	IN(cuMemcpyDtoH, (in.host, in.memory, 64));
	IN(cuMemcpyDtoHAsync, (in.host, in.memory, 64, in.idle));
	IN(cuMemcpyDtoD, (in.memory, in.memory + 64, 64));
	IN(cuMemcpyDtoDAsync, (in.memory, in.memory + 64, 64, in.idle));
	IN(cuMemcpyPeer, (in.memory, in.context, in.memory + 64, in.context, 64));
	IN(cuMemcpyPeerAsync, (in.memory, in.context, in.memory + 64, in.context, 64, in.idle));
	IN(cuMemcpy2D, (&two));
	IN(cuMemcpy2DUnaligned, (&two));
	IN(cuMemcpy2DAsync, (&two, in.idle));
	IN(cuMemcpy3D, (&three));
	IN(cuMemcpy3DAsync, (&three, in.idle));
	IN(cuMemcpy3DPeer, (&peer));
	IN(cuMemcpy3DPeerAsync, (&peer, in.idle));
	IN(cuMemcpyBatchAsync, (&to, &from, &size, 1, &how, &first, 1, in.idle));
	IN(cuMemcpyBatchAsync_v1, (&to, &from, &size, 1, &how, &first, 1, &failed, in.idle));
	IN(cuMemcpy3DBatchAsync, (1, &op, 0, in.idle));
	IN(cuMemcpy3DBatchAsync_v1, (1, &op, &failed, 0, in.idle));
	IN(cuMemsetD8, (in.memory, 0, 64));
	IN(cuMemsetD8Async, (in.memory, 0, 64, in.idle));
	IN(cuMemsetD8Async, (in.memory, 0, 64, NULL));
	IN(cuMemsetD16, (in.memory, 0, 32));
	IN(cuMemsetD16Async, (in.memory, 0, 32, in.idle));
	IN(cuMemsetD32, (in.memory, 0, 16));
	IN(cuMemsetD32Async, (in.memory, 0, 16, in.idle));
	IN(cuMemsetD2D8, (in.memory, 64, 0, 64, 2));
	IN(cuMemsetD2D8Async, (in.memory, 64, 0, 64, 2, in.idle));
	IN(cuMemsetD2D16, (in.memory, 64, 0, 32, 2));
	IN(cuMemsetD2D16Async, (in.memory, 64, 0, 32, 2, in.idle));
	IN(cuMemsetD2D32, (in.memory, 64, 0, 16, 2));
	IN(cuMemsetD2D32Async, (in.memory, 64, 0, 16, 2, in.idle));
}

/* Last, what ends what the others need. */
static void in_end(void)
{
	IN(cuCtxDestroy, (in.other));
	IN(cuDevicePrimaryCtxRelease, (0));
	IN(cuDevicePrimaryCtxReset, (0));
}

/* The host function may begin before the next call of the program. */
static void await_recorded(void)
{
	while (!atomic_load(&in.recorded))
		usleep(100);
}

static void in_host_function(void *called)
{
	await_recorded();
	in.called = called;
	in.index = 0;
	in_driver();
	in_context();
	in_stream();
	in_code();
	in_library();
	in_allocation();
	in_managed();
	in_copy();
	in_end();
}

/* The old form of a host function: the same, so that some calls are enough. */
static void in_callback(CUstream stream, CUresult result, void *called)
{
	(void)stream, (void)result;
	await_recorded();
	in.called = called;
	in.index = 0;
	in_context();
	in_stream();
	in_copy();
}

static void prepare_host(void)
{
	CUmemPoolProps pool = { .allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
				.location = { CU_MEM_LOCATION_TYPE_DEVICE, 0 } };
	CUmemAllocationProp props = { .type = CU_MEM_ALLOCATION_TYPE_PINNED,
				      .location = { CU_MEM_LOCATION_TYPE_DEVICE, 0 } };

	OK_CU(cu.cuCtxGetCurrent(&in.context));
	OK_CU(cu.cuCtxCreate_v2(&in.other, 0, 0));
	OK_CU(cu.cuCtxSetCurrent(in.context));
	OK_CU(cu.cuModuleLoadData(&in.module, PTX_ALL));
	OK_CU(cu.cuModuleLoadData(&in.spare_module, PTX_ALL));
	OK_CU(cu.cuModuleGetFunction(&in.function, in.module, "nothing"));
	OK_CU(cu.cuLibraryLoadData(&in.library, PTX_ALL, NULL, NULL, 0, NULL, NULL, 0));
	OK_CU(cu.cuLibraryLoadData(&in.spare_library, PTX_ALL, NULL, NULL, 0, NULL, NULL, 0));
	OK_CU(cu.cuLibraryGetKernel(&in.kernel, in.library, "step"));
	OK_CU(cu.cuLinkCreate(0, NULL, NULL, &in.link));
	OK_CU(cu.cuLinkCreate(0, NULL, NULL, &in.spare_link));
	OK_CU(cu.cuStreamCreate(&in.stream, CU_STREAM_NON_BLOCKING));
	OK_CU(cu.cuStreamCreate(&in.idle, CU_STREAM_NON_BLOCKING));
	OK_CU(cu.cuStreamCreate(&in.spare_stream, CU_STREAM_NON_BLOCKING));
	OK_CU(cu.cuEventCreate(&in.done, 0));
	OK_CU(cu.cuEventCreate(&in.later, 0));
	OK_CU(cu.cuEventCreate(&in.event, 0));
	OK_CU(cu.cuEventCreate(&in.spare_event, 0));
	OK_CU(cu.cuEventCreate(&in.old_event, 0));
	OK_CU(cu.cuDeviceGetDefaultMemPool(&in.pool, 0));
	OK_CU(cu.cuMemPoolCreate(&in.spare_pool, &pool));
	OK_CU(cu.cuMemAlloc(&in.memory, 4096));
	OK_CU(cu.cuMemAlloc(&in.spare, 4096));
	OK_CU(cu.cuMemsetD8(in.memory, 0, 4096));
	OK_CU(cu.cuMemAllocAsync(&in.spare_async, 4096, in.idle));
	OK_CU(cu.cuMemAllocManaged(&in.managed, 65536, CU_MEM_ATTACH_GLOBAL));
	OK_CU(cu.cuMemHostAlloc(&in.host, 4096, CU_MEMHOSTALLOC_DEVICEMAP));
	OK_CU(cu.cuMemHostAlloc(&in.spare_host, 4096, 0));
	OK_CU(cu.cuMemHostRegister(room, 4096, 0));
	OK_CU(cu.cuMemAddressReserve(&in.reserved, 2 << 20, 0, 0, 0));
	OK_CU(cu.cuMemCreate(&in.handle, 2 << 20, &props, 0));
	OK_CU(cu.cuEventRecord(in.done, in.stream));
	OK_CU(cu.cuStreamSynchronize(in.stream));
	OK_CU(cu.cuStreamSynchronize(in.idle));
}

static void ask_in_host_function(void)
{
	prepare_host();
	OK_CU(cu.cuLaunchHostFunc(in.stream, in_host_function, "a host function"));
	OK_CU(cu.cuEventRecord(in.later, in.stream));
	atomic_store(&in.recorded, true);
	answer("after a host function: %d", cu.cuStreamSynchronize(in.stream));
}

static void ask_in_callback(void)
{
	prepare_host();
	OK_CU(cu.cuStreamAddCallback(in.stream, in_callback, "a callback", 0));
	OK_CU(cu.cuEventRecord(in.later, in.stream));
	atomic_store(&in.recorded, true);
	answer("after a callback: %d", cu.cuStreamSynchronize(in.stream));
}

#endif
