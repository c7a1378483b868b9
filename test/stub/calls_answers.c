/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Calls that succeed whatever they are given: questions, whose answer is nearly always the
 * same, and advice. That they can be made to fail is what they are here for.
 */
#include "calls.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"
#define ANSWER(name, params, does)             \
	CUresult stub_##name params            \
	{                                      \
		does;                          \
		return CUDA_SUCCESS;           \
	}

/* ---- Devices and contexts ---------------------------------------------------------- */

ANSWER(cuCtxGetCacheConfig, (CUfunc_cache *cache), *cache = 0)
ANSWER(cuCtxSetCacheConfig, (CUfunc_cache cache), (void)0)
ANSWER(cuCtxGetSharedMemConfig, (CUsharedconfig *banks), *banks = 0)
ANSWER(cuCtxSetSharedMemConfig, (CUsharedconfig banks), (void)0)
ANSWER(cuCtxGetStreamPriorityRange, (int *least, int *greatest), *least = *greatest = 0)
ANSWER(cuCtxResetPersistingL2Cache, (void), (void)0)
ANSWER(cuDeviceGetLuid, (char *luid, unsigned *nodes, CUdevice device), *nodes = 0)
ANSWER(cuDeviceGetP2PAttribute,
       (int *value, CUdevice_P2PAttribute attribute, CUdevice src, CUdevice dst), *value = 0)
ANSWER(cuDeviceGetHostAtomicCapabilities,
       (unsigned *capabilities, const CUatomicOperation *operations, unsigned count,
	CUdevice device), *capabilities = 0)
ANSWER(cuDeviceGetP2PAtomicCapabilities,
       (unsigned *capabilities, const CUatomicOperation *operations, unsigned count,
	CUdevice src, CUdevice dst), *capabilities = 0)
ANSWER(cuFlushGPUDirectRDMAWrites,
       (CUflushGPUDirectRDMAWritesTarget target, CUflushGPUDirectRDMAWritesScope scope), (void)0)
ANSWER(cuGetExportTable, (const void **table, const CUuuid *id), *table = NULL)
ANSWER(cuGetProcAddress,
       (const char *symbol, void **function, int version, uint64_t flags,
	CUdriverProcAddressQueryResult *found), *function = NULL)
ANSWER(cuProfilerStart, (void), (void)0)
ANSWER(cuProfilerStop, (void), (void)0)

/* ---- Functions --------------------------------------------------------------------- */

ANSWER(cuFuncSetCacheConfig, (CUfunction function, CUfunc_cache cache), (void)0)
ANSWER(cuFuncSetSharedMemConfig, (CUfunction function, CUsharedconfig banks), (void)0)
ANSWER(cuOccupancyAvailableDynamicSMemPerBlock,
       (size_t *shared, CUfunction function, int blocks, int block), *shared = 0)
ANSWER(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
       (int *blocks, CUfunction function, int block, size_t shared, unsigned flags), *blocks = 2)
ANSWER(cuOccupancyMaxActiveClusters,
       (int *count, CUfunction function, const CUlaunchConfig *how), *count = 1)
ANSWER(cuOccupancyMaxPotentialClusterSize,
       (int *size, CUfunction function, const CUlaunchConfig *how), *size = 8)

/* ---- Streams ------------------------------------------------------------------------ */

ANSWER(cuStreamAttachMemAsync,
       (CUstream stream, CUdeviceptr address, size_t length, unsigned flags), (void)0)
ANSWER(cuStreamCopyAttributes, (CUstream dst, CUstream src), (void)0)
ANSWER(cuStreamGetAttribute,
       (CUstream stream, CUstreamAttrID attribute, CUstreamAttrValue *value), (void)0)
ANSWER(cuStreamSetAttribute,
       (CUstream stream, CUstreamAttrID attribute, const CUstreamAttrValue *value), (void)0)
ANSWER(cuStreamGetCaptureInfo,
       (CUstream stream, CUstreamCaptureStatus *status, uint64_t *id, CUgraph *graph,
	const CUgraphNode **nodes, const CUgraphEdgeData **edges, size_t *count), *status = 0)
ANSWER(cuStreamGetDevice, (CUstream stream, CUdevice *device), *device = 0)
ANSWER(cuStreamGetFlags, (CUstream stream, unsigned *flags), *flags = 0)
ANSWER(cuStreamGetId, (CUstream stream, unsigned long long *id), *id = 1)
ANSWER(cuStreamGetPriority, (CUstream stream, int *priority), *priority = 0)

/* ---- Memory -------------------------------------------------------------------------- */

ANSWER(cuMemAdvise,
       (CUdeviceptr address, size_t count, CUmem_advise advice, CUmemLocation location), (void)0)
ANSWER(cuMemHostGetFlags, (unsigned *flags, void *pointer), *flags = 0)
ANSWER(cuMemPrefetchAsync,
       (CUdeviceptr address, size_t count, CUmemLocation location, unsigned flags,
	CUstream stream), (void)0)
ANSWER(cuMemPrefetchAsync_v1,
       (CUdeviceptr address, size_t count, CUdevice dst, CUstream stream), (void)0)
ANSWER(cuMemPrefetchBatchAsync,
       (CUdeviceptr *addresses, size_t *sizes, size_t count, CUmemLocation *locations,
	size_t *firsts, size_t number, unsigned long long flags, CUstream stream), (void)0)
ANSWER(cuMemDiscardBatchAsync,
       (CUdeviceptr *addresses, size_t *sizes, size_t count, unsigned long long flags,
	CUstream stream), (void)0)
ANSWER(cuMemDiscardAndPrefetchBatchAsync,
       (CUdeviceptr *addresses, size_t *sizes, size_t count, CUmemLocation *locations,
	size_t *firsts, size_t number, unsigned long long flags, CUstream stream), (void)0)
ANSWER(cuMemRangeGetAttribute,
       (void *data, size_t size, CUmem_range_attribute attribute, CUdeviceptr address,
	size_t count), (void)0)
ANSWER(cuMemRangeGetAttributes,
       (void **data, size_t *sizes, CUmem_range_attribute *attributes, size_t number,
	CUdeviceptr address, size_t count), (void)0)
ANSWER(cuPointerGetAttributes,
       (unsigned count, CUpointer_attribute *attributes, void **data, CUdeviceptr address),
       (void)0)

/* ---- Messages ------------------------------------------------------------------------- */

ANSWER(cuLogsCurrent, (CUlogIterator *at, unsigned flags), *at = 0)
ANSWER(cuLogsDumpToFile, (CUlogIterator *at, const char *path, unsigned flags), (void)0)
ANSWER(cuLogsDumpToMemory, (CUlogIterator *at, char *text, size_t *size, unsigned flags),
       *size = 0)
ANSWER(cuLogsRegisterCallback,
       (CUlogsCallback callback, void *data, CUlogsCallbackHandle *handle), *handle = NULL)
ANSWER(cuLogsUnregisterCallback, (CUlogsCallbackHandle handle), (void)0)
