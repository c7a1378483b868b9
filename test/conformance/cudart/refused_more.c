/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* As refused.c: pools, libraries, logs, batches, shapes, twins and attributes. */
#include "cudart_rows.h"

static struct cudart_image image;
static void *memory, *out;
static size_t size;
static int number;
static char host[64];
static cudaEvent_t event;
static cudaStream_t stream;
static cudaMemPool_t pool, fresh_pool;
static cudaLibrary_t library, fresh_library;
static cudaKernel_t kernel, kernels[4];
static cudaFunction_t function;
static unsigned count;
static unsigned long long id;
static CUlogIterator at;
static CUlogsCallbackHandle callback;
static CUmemPoolProps props = { .allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
				.location = { CU_MEM_LOCATION_TYPE_DEVICE, 0 } };
static CUmemPoolProps no_props, far_props = { .allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
					      .location = { CU_MEM_LOCATION_TYPE_DEVICE,
							    4096 } };
static CUmemLocation here = { CU_MEM_LOCATION_TYPE_DEVICE, 0 },
		     far = { CU_MEM_LOCATION_TYPE_DEVICE, 4096 }, nowhere;
static const dim3 one = { 1, 1, 1 };
static const struct cudaExtent cube = { 4, 2, 2 };

static void test_pools(void)
{
	CUmemAccessDesc access = { far, CU_MEM_ACCESS_FLAGS_PROT_READWRITE };
	CUmemAccess_flags flags;
	uint64_t value = 0;

	ROW(cudaMemPoolCreate(NULL, &props), cudaErrorInvalidValue);
	ROW(cudaMemPoolCreate(&fresh_pool, NULL), cudaErrorInvalidValue);
	ROW(cudaMemPoolCreate(&fresh_pool, &no_props), cudaErrorInvalidValue);
	ROW(cudaMemPoolCreate(&fresh_pool, &far_props), cudaErrorInvalidValue);
	ROW(cudaMemPoolDestroy(NULL), cudaErrorInvalidValue);
	ROW(cudaMemPoolGetAttribute(NULL, 4, &value), cudaErrorInvalidValue);
	ROW(cudaMemPoolGetAttribute(pool, 4, NULL), cudaErrorInvalidValue);
	ROW(cudaMemPoolGetAttribute(pool, 99, &value), cudaErrorInvalidValue);
	ROW(cudaMemPoolSetAttribute(NULL, 4, &value), cudaErrorInvalidValue);
	ROW(cudaMemPoolSetAttribute(pool, 4, NULL), cudaErrorInvalidValue);
	ROW(cudaMemPoolSetAttribute(pool, 99, &value), cudaErrorInvalidValue);
	ROW(cudaMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &value),
	    cudaErrorInvalidValue);
	ROW(cudaMemPoolTrimTo(NULL, 0), cudaErrorInvalidValue);
	ROW(cudaMemPoolSetAccess(NULL, &access, 1), cudaErrorInvalidValue);
	ROW(cudaMemPoolSetAccess(pool, NULL, 1), cudaErrorInvalidValue);
	GUESS(cudaMemPoolSetAccess(pool, &access, 1), cudaErrorInvalidDevice);
	ROW(cudaMemPoolGetAccess(NULL, pool, &here), cudaErrorInvalidValue);
	ROW(cudaMemPoolGetAccess(&flags, NULL, &here), cudaErrorInvalidValue);
	ROW(cudaMemPoolGetAccess(&flags, pool, NULL), cudaErrorInvalidValue);
	ROW(cudaMallocFromPoolAsync(&out, 4, NULL, NULL), cudaErrorInvalidValue);
	ROW(cudaMallocFromPoolAsync(NULL, 4, pool, NULL), cudaErrorInvalidValue);
	ROW(cudaMallocFromPoolAsync_ptsz(NULL, 4, pool, NULL), cudaErrorInvalidValue);
	ROW(cudaDeviceSetMemPool(4096, pool), cudaErrorInvalidValue);
	ROW(cudaDeviceSetMemPool(0, NULL), cudaErrorInvalidValue);
	ROW(cudaDeviceGetMemPool(&fresh_pool, -1), cudaErrorInvalidValue);
	ROW(cudaDeviceGetDefaultMemPool(&fresh_pool, 4096), cudaErrorInvalidDevice);
	ROW(cudaMemGetMemPool(NULL, &here, CU_MEM_ALLOCATION_TYPE_PINNED), cudaErrorInvalidValue);
	ROW(cudaMemGetDefaultMemPool(&fresh_pool, NULL, CU_MEM_ALLOCATION_TYPE_PINNED),
	    cudaErrorInvalidValue);
	ROW(cudaMemSetMemPool(&here, CU_MEM_ALLOCATION_TYPE_PINNED, NULL),
	    cudaErrorInvalidValue);
	ROW(cudaMallocAsync_ptsz(NULL, 1, NULL), cudaErrorInvalidValue);
	GUESS(cudaFreeAsync_ptsz((void *)8, NULL), cudaErrorInvalidValue);
}

static void test_libraries(void)
{
	ROW(cudaLibraryLoadData(NULL, cudart_ptx, NULL, NULL, 0, NULL, NULL, 0),
	    cudaErrorInvalidValue);
	ROW(cudaLibraryLoadData(&fresh_library, NULL, NULL, NULL, 0, NULL, NULL, 0),
	    cudaErrorInvalidValue);
	if (!on_gpu()) { /* whose driver looks at the first use */
		GUESS(cudaLibraryLoadData(&fresh_library, "no code at all, but for a few words",
					  NULL, NULL, 0, NULL, NULL, 0),
		      cudaErrorInvalidKernelImage);
		ROW(cudaLibraryLoadData(&fresh_library, ".version 6.0\n.target sm_50\nnonsense\n",
					NULL, NULL, 0, NULL, NULL, 0), cudaErrorInvalidPtx);
	}
	ROW(cudaLibraryLoadFromFile(NULL, "/no/such/file", NULL, NULL, 0, NULL, NULL, 0),
	    cudaErrorInvalidValue);
	ROW(cudaLibraryLoadFromFile(&fresh_library, NULL, NULL, NULL, 0, NULL, NULL, 0),
	    cudaErrorInvalidValue);
	GUESS(cudaLibraryLoadFromFile(&fresh_library, "/no/such/file", NULL, NULL, 0, NULL,
				      NULL, 0), cudaErrorFileNotFound);
	ROW(cudaLibraryGetKernel(NULL, library, "bump"), cudaErrorInvalidValue);
	ROW(cudaLibraryGetKernel(&kernel, library, NULL), cudaErrorInvalidValue);
	ROW(cudaLibraryGetKernel(&kernel, library, "nosuch"), cudaErrorSymbolNotFound);
	ROW(cudaLibraryGetKernel(&kernel, NULL, "bump"), cudaErrorInvalidResourceHandle);
	ROW(cudaLibraryGetGlobal(&out, &size, library, NULL), cudaErrorInvalidValue);
	ROW(cudaLibraryGetGlobal(&out, &size, library, "nosuch"), cudaErrorSymbolNotFound);
	ROW(cudaLibraryGetGlobal(&out, &size, NULL, "counter"), cudaErrorInvalidResourceHandle);
	ROW(cudaLibraryGetManaged(&out, &size, library, NULL), cudaErrorInvalidValue);
	ROW(cudaLibraryGetManaged(&out, &size, library, "counter"), cudaErrorSymbolNotFound);
	ROW(cudaLibraryGetManaged(&out, &size, NULL, "counter"),
	    cudaErrorInvalidResourceHandle);
	ROW(cudaLibraryGetKernelCount(NULL, library), cudaErrorInvalidValue);
	ROW(cudaLibraryGetKernelCount(&count, NULL), cudaErrorInvalidResourceHandle);
	ROW(cudaLibraryEnumerateKernels(NULL, 1, library), cudaErrorInvalidValue);
	ROW(cudaLibraryEnumerateKernels(kernels, 1, NULL), cudaErrorInvalidResourceHandle);
	ROW(cudaLibraryGetUnifiedFunction(&out, library, "nosuch"), cudaErrorInvalidValue);
	GUESS(cudaLibraryUnload(NULL), cudaErrorInvalidResourceHandle);
	ROW(cudaGetKernel(NULL, &image.bump), cudaErrorInvalidValue);
	ROW(cudaGetKernel(&kernel, host), cudaErrorInvalidDeviceFunction);
	ROW(__cudaGetKernel(NULL, &image.bump), cudaErrorInvalidValue);
	if (!on_nvidia()) /* which takes it */
		ROW(cudaGetFuncBySymbol(NULL, &image.bump), cudaErrorInvalidValue);
	ROW(cudaGetFuncBySymbol(&function, NULL), cudaErrorInvalidDeviceFunction);
	GUESS(cudaKernelSetAttributeForDevice(NULL, 8, 0, 0), cudaErrorInvalidResourceHandle);
	ROW(cudaGetDriverEntryPoint(NULL, &out, 0, NULL), cudaErrorInvalidValue);
	ROW(cudaGetDriverEntryPoint("cuInit", NULL, 0, NULL), cudaErrorInvalidValue);
	GUESS(cudaGetDriverEntryPoint("cuNoSuch", &out, 0, NULL), cudaSuccess);
	CHECK(!out);
	ROW(cudaGetDriverEntryPoint("cuInit", &out, 1 << 20, NULL), cudaErrorInvalidValue);
}

static void test_logs(void)
{
	ROW(cudaLogsRegisterCallback(NULL, NULL, &callback), cudaErrorInvalidValue);
	ROW(cudaLogsUnregisterCallback(NULL), cudaErrorInvalidValue);
	ROW(cudaLogsCurrent(NULL, 0), cudaErrorInvalidValue);
	if (!on_gpu()) /* whose driver takes any flag */
		ROW(cudaLogsCurrent(&at, 1), cudaErrorInvalidValue);
	ROW(cudaLogsDumpToFile(NULL, NULL, 0), cudaErrorInvalidValue);
	GUESS(cudaLogsDumpToFile(NULL, "/no/such/folder/log", 0), cudaErrorInvalidValue);
	ROW(cudaLogsDumpToMemory(NULL, NULL, &size, 0), cudaErrorInvalidValue);
	ROW(cudaLogsDumpToMemory(NULL, host, NULL, 0), cudaErrorInvalidValue);
}

static void test_batches(void)
{
	void *to[] = { memory };
	const void *from[] = { host };
	size_t sizes[] = { 4 }, first = 0;
	CUmemcpyAttributes how = { .srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM };

	ROW(cudaMemcpyBatchAsync(NULL, from, sizes, 1, &how, &first, 1, stream),
	    cudaErrorInvalidValue);
	ROW(cudaMemcpyBatchAsync(to, NULL, sizes, 1, &how, &first, 1, stream),
	    cudaErrorInvalidValue);
	ROW(cudaMemcpyBatchAsync(to, from, NULL, 1, &how, &first, 1, stream),
	    cudaErrorInvalidValue);
	ROW(cudaMemcpyBatchAsync(to, from, sizes, 1, NULL, &first, 1, stream),
	    cudaErrorInvalidValue);
	ROW(cudaMemcpyBatchAsync(to, from, sizes, 1, &how, NULL, 1, stream),
	    cudaErrorInvalidValue);
	ROW(cudaMemcpyBatchAsync(to, from, sizes, 1, &how, &first, 2, stream),
	    cudaErrorInvalidValue);
	ROW(cudaMemcpyBatchAsync(to, from, sizes, 1, &how, &first, 1, NULL),
	    cudaErrorInvalidValue);
	ROW(cudaMemcpy3DBatchAsync(1, NULL, 0, stream), cudaErrorInvalidValue);
	ROW(cudaMemPrefetchBatchAsync(NULL, sizes, 1, &here, &first, 1, 0, stream),
	    cudaErrorInvalidValue);
	ROW(cudaMemDiscardBatchAsync(NULL, sizes, 1, 0, stream), cudaErrorInvalidValue);
	ROW(cudaMemDiscardAndPrefetchBatchAsync(NULL, sizes, 1, &here, &first, 1, 0, stream),
	    cudaErrorInvalidValue);
}

static void test_managed(void)
{
	void *managed = NULL;
	CUmem_range_attribute attributes[] = { CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY };
	void *values[] = { &number };
	size_t sizes[] = { 4 };

	ROW(cudaMallocManaged(&managed, 4096, CU_MEM_ATTACH_GLOBAL), cudaSuccess);
	ROW(cudaMallocManaged(&out, 4, CU_MEM_ATTACH_SINGLE), cudaErrorInvalidValue);
	ROW(cudaMemAdvise(managed, 4096, 99, here), cudaErrorInvalidValue);
	ROW(cudaMemAdvise(managed, 0, CU_MEM_ADVISE_SET_READ_MOSTLY, here),
	    cudaErrorInvalidValue);
	ROW(cudaMemAdvise(memory, 4, CU_MEM_ADVISE_SET_READ_MOSTLY, here),
	    cudaErrorInvalidValue);
	ROW(cudaMemAdvise(managed, 4096, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, far),
	    cudaErrorInvalidValue);
	ROW(cudaMemPrefetchAsync(managed, 4096, far, 0, NULL), cudaErrorInvalidDevice);
	ROW(cudaMemPrefetchAsync(managed, 4096, here, 1, NULL), cudaErrorInvalidValue);
	ROW(cudaMemPrefetchAsync(managed, 4096, nowhere, 0, NULL), cudaErrorInvalidValue);
	ROW(cudaMemPrefetchAsync(memory, 4, here, 0, NULL), cudaErrorInvalidValue);
	ROW(cudaMemPrefetchAsync_ptsz(managed, 0, here, 0, NULL), cudaErrorInvalidValue);
	ROW(cudaMemRangeGetAttribute(NULL, 4, 1, managed, 4096), cudaErrorInvalidValue);
	ROW(cudaMemRangeGetAttribute(&number, 3, 1, managed, 4096), cudaErrorInvalidValue);
	ROW(cudaMemRangeGetAttribute(&number, 4, 99, managed, 4096), cudaErrorInvalidValue);
	ROW(cudaMemRangeGetAttributes(NULL, sizes, attributes, 1, managed, 4096),
	    cudaErrorInvalidValue);
	ROW(cudaMemRangeGetAttributes(values, NULL, attributes, 1, managed, 4096),
	    cudaErrorInvalidValue);
	ROW(cudaMemRangeGetAttributes(values, sizes, attributes, 0, managed, 4096),
	    cudaErrorInvalidValue);
	GUESS(cudaStreamAttachMemAsync(stream, (void *)8, 0, CU_MEM_ATTACH_SINGLE),
	      cudaErrorInvalidValue);
	ROW(cudaStreamAttachMemAsync(stream, managed, 0, 99), cudaErrorInvalidValue);
	ROW(cudaFree(managed), cudaSuccess);
}

static void test_shapes(void)
{
	struct cudaMemcpy3DParms copy = { .extent = cube, .kind = cudaMemcpyHostToDevice,
					  .srcPtr = { host, 4, 4, 2 },
					  .dstPtr = { memory, 4, 4, 2 } };
	struct cudaMemcpy3DPeerParms peer = { .extent = cube, .srcPtr = { memory, 4, 4, 2 },
					      .dstPtr = { memory, 4, 4, 2 },
					      .srcDevice = 4096 };
	struct cudaPitchedPtr rows = { memory, 4, 4, 2 };

	ROW(cudaMemcpy3D(&copy), cudaSuccess);
	copy.kind = 9;
	ROW(cudaMemcpy3D(&copy), cudaErrorInvalidMemcpyDirection);
	ROW(cudaMemcpy3D_ptds(&copy), cudaErrorInvalidMemcpyDirection);
	copy.kind = cudaMemcpyHostToDevice;
	copy.srcPtr.pitch = 2;
	ROW(cudaMemcpy3D(&copy), cudaErrorInvalidPitchValue);
	ROW(cudaMemcpy3DAsync(&copy, stream), cudaErrorInvalidPitchValue);
	copy.srcPtr = (struct cudaPitchedPtr){ NULL, 4, 4, 2 };
	ROW(cudaMemcpy3DAsync_ptsz(&copy, NULL), cudaErrorInvalidValue);
	ROW(cudaMemcpy3DPeer(&peer), cudaErrorInvalidDevice);
	ROW(cudaMemcpy3DPeerAsync(&peer, stream), cudaErrorInvalidDevice);
	ROW(cudaMemcpy3DPeer_ptds(NULL), cudaErrorInvalidValue);
	ROW(cudaMemcpyPeerAsync(memory, 0, memory, 4096, 4, stream), cudaErrorInvalidDevice);
	ROW(cudaMemcpy_ptds(memory, host, 4, 5), cudaErrorInvalidMemcpyDirection);
	ROW(cudaMemcpy_ptds(memory, NULL, 4, 1), cudaErrorInvalidValue);
	ROW(cudaMemcpyAsync_ptsz(memory, host, 4, 5, NULL), cudaErrorInvalidMemcpyDirection);
	ROW(cudaMemcpy2D_ptds(memory, 2, host, 4, 4, 1, 1), cudaErrorInvalidValue);
	ROW(cudaMemcpy2DAsync_ptsz(memory, 4, host, 2, 4, 1, 1, NULL),
	    cudaErrorInvalidValue);
	ROW(cudaMemset_ptds(NULL, 0, 4), cudaErrorInvalidValue);
	ROW(cudaMemsetAsync_ptsz(NULL, 0, 4, NULL), cudaErrorInvalidValue);
	ROW(cudaMemset2D(NULL, 4, 0, 4, 2), cudaErrorInvalidValue);
	ROW(cudaMemset2D_ptds(memory, 2, 0, 4, 2), cudaErrorInvalidValue);
	ROW(cudaMemset2DAsync(memory, 2, 0, 4, 2, stream), cudaErrorInvalidValue);
	ROW(cudaMemset3D(rows, 0, (struct cudaExtent){ 5, 2, 1 }), cudaErrorInvalidValue);
	ROW(cudaMemset3DAsync(rows, 0, (struct cudaExtent){ 1, 3, 1 }, stream),
	    cudaErrorInvalidValue);
	ROW(cudaMemcpyToSymbolAsync(host, host, 4, 0, 1, stream), cudaErrorInvalidSymbol);
	ROW(cudaMemcpyToSymbol_ptds(&image.counter, host, 5, 0, 1), cudaErrorInvalidValue);
	ROW(cudaMemcpyFromSymbolAsync(host, &image.counter, 4, 0, 1, stream),
	    cudaErrorInvalidMemcpyDirection);
	ROW(cudaMemcpyFromSymbol_ptds(host, &image.absent, 4, 0, 2), cudaErrorSymbolNotFound);
	ROW(cudaMalloc3D(&rows, (struct cudaExtent){ 1, SIZE_MAX, 2 }), cudaErrorMemoryAllocation);
	ROW(cudaMallocPitch(&out, &size, SIZE_MAX / 4, 2), cudaErrorMemoryAllocation);
}

static void test_streams(void)
{
	CUstreamAttrValue value = { 0 };
	CUstreamCaptureMode mode = 99;
	CUstreamCaptureStatus status;

	ROW(cudaStreamGetAttribute(stream, 99, &value), cudaErrorInvalidValue);
	ROW(cudaStreamGetAttribute(stream, CU_LAUNCH_ATTRIBUTE_PRIORITY, NULL),
	    cudaErrorInvalidValue);
	ROW(cudaStreamSetAttribute(stream, 99, &value), cudaErrorInvalidValue);
	ROW(cudaStreamSetAttribute_ptsz(stream, CU_LAUNCH_ATTRIBUTE_PRIORITY, NULL),
	    cudaErrorInvalidValue);
	ROW(cudaStreamGetDevice(stream, NULL), cudaErrorInvalidValue);
	ROW(cudaStreamGetId(stream, NULL), cudaErrorInvalidValue);
	ROW(cudaStreamGetId_ptsz(NULL, &id), cudaSuccess);
	ROW(cudaStreamIsCapturing(stream, NULL), cudaErrorInvalidValue);
	ROW(cudaStreamGetCaptureInfo(stream, NULL, &id, NULL, NULL, NULL, NULL),
	    cudaErrorInvalidValue);
	ROW(cudaStreamIsCapturing_ptsz(NULL, &status), cudaSuccess);
	ROW(cudaThreadExchangeStreamCaptureMode(NULL), cudaErrorInvalidValue);
	if (!on_gpu()) /* whose driver takes any number */
		ROW(cudaThreadExchangeStreamCaptureMode(&mode), cudaErrorInvalidValue);
	ROW(cudaStreamCreateWithPriority(NULL, 0, 0), cudaErrorInvalidValue);
	ROW(cudaStreamCreateWithPriority((cudaStream_t *)&out, 99, 0), cudaErrorInvalidValue);
	ROW(cudaStreamGetFlags(stream, NULL), cudaErrorInvalidValue);
	ROW(cudaStreamGetPriority_ptsz(stream, NULL), cudaErrorInvalidValue);
	ROW(cudaStreamWaitEvent(stream, event, 99), cudaErrorInvalidValue);
	ROW(cudaStreamWaitEvent_ptsz(NULL, NULL, 0), cudaErrorInvalidResourceHandle);
	ROW(cudaEventRecordWithFlags(event, stream, 99), cudaErrorInvalidValue);
	ROW(cudaEventRecord_ptsz(NULL, NULL), cudaErrorInvalidResourceHandle);
	ROW(cudaLaunchHostFunc_ptsz(NULL, NULL, NULL), cudaErrorInvalidValue);
}

static void test_launches(void)
{
	CUlaunchAttribute cluster = { .id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION };
	cudaLaunchConfig_t config = { .gridDim = one, .blockDim = one, .attrs = &cluster,
				      .numAttrs = 1 };
	const dim3 many = { 1 << 24, 1, 1 }, none = { 0, 1, 1 };

	cluster.value.clusterDim.x = 64;
	cluster.value.clusterDim.y = cluster.value.clusterDim.z = 1;
	GUESS(cudaLaunchKernelExC(&config, &image.nothing, NULL), cudaErrorInvalidClusterSize);
	config.gridDim.x = 64;
	ROW(cudaLaunchKernelExC(&config, &image.nothing, NULL), cudaErrorInvalidClusterSize);
	ROW(cudaLaunchKernelExC_ptsz(NULL, &image.nothing, NULL), cudaErrorInvalidValue);
	ROW(cudaLaunchKernelExC(&config, host, NULL), cudaErrorInvalidResourceHandle);
	config.attrs = NULL;
	GUESS(cudaLaunchKernelExC(&config, &image.nothing, NULL), cudaErrorInvalidValue);
	config.numAttrs = 0;
	config.dynamicSmemBytes = SIZE_MAX;
	GUESS(cudaLaunchKernelExC(&config, &image.nothing, NULL), cudaErrorInvalidValue);
	ROW(cudaLaunchCooperativeKernel(&image.nothing, many, one, NULL, 0, NULL),
	    cudaErrorCooperativeLaunchTooLarge);
	ROW(cudaLaunchCooperativeKernel(&image.nothing, none, one, NULL, 0, NULL),
	    cudaErrorInvalidValue);
	ROW(cudaLaunchKernel_ptsz(host, one, one, NULL, 0, NULL), cudaErrorInvalidResourceHandle);
	ROW(__cudaLaunchKernel(NULL, one, one, NULL, 0, NULL), cudaErrorInvalidDeviceFunction);
	ROW(cudaOccupancyMaxActiveClusters(NULL, &image.bump, &config), cudaErrorInvalidValue);
	ROW(cudaOccupancyMaxActiveClusters(&number, &image.bump, NULL), cudaErrorInvalidValue);
	ROW(cudaOccupancyMaxPotentialClusterSize(&number, host, &config),
	    cudaErrorInvalidResourceHandle);
	config.dynamicSmemBytes = 0;
	ROW(cudaOccupancyMaxPotentialClusterSize(&number, host, &config),
	    cudaErrorInvalidResourceHandle);
	ROW(cudaOccupancyAvailableDynamicSMemPerBlock(NULL, &image.bump, 1, 32),
	    cudaErrorInvalidValue);
	ROW(cudaOccupancyAvailableDynamicSMemPerBlock(&size, host, 1, 32),
	    cudaErrorInvalidResourceHandle);
	ROW(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&number, &image.bump, 0, 0, 0),
	    cudaErrorInvalidValue);
	ROW(cudaFuncGetParamInfo(&image.bump, 1, &size, NULL), cudaErrorInvalidValue);
	ROW(cudaFuncGetParamInfo(host, 0, &size, NULL), cudaErrorInvalidResourceHandle);
	GUESS(cudaFuncSetAttribute(&image.bump, 8, -2), cudaErrorInvalidValue);
	ROW(cudaFuncSetAttribute(&image.bump, 8, 1 << 30), cudaErrorInvalidValue);
	ROW(cudaFuncSetCacheConfig(host, 0), cudaErrorInvalidResourceHandle);
	ROW(cudaFuncSetCacheConfig(&image.bump, 99), cudaErrorInvalidValue);
	ROW(cudaFuncSetSharedMemConfig(host, 0), cudaErrorInvalidResourceHandle);
}

static void test_device(void)
{
	GUESS(cudaDeviceGetLimit(&size, 99), cudaErrorInvalidValue);
	GUESS(cudaDeviceSetLimit(99, 4096), cudaErrorInvalidValue);
	ROW(cudaDeviceSetCacheConfig(99), cudaErrorInvalidValue);
	ROW(cudaDeviceGetCacheConfig(NULL), cudaErrorInvalidValue);
	ROW(cudaDeviceGetP2PAttribute(NULL, 1, 0, 0), cudaErrorInvalidValue);
	ROW(cudaDeviceGetP2PAttribute(&number, 1, 0, 4096), cudaErrorInvalidDevice);
	ROW(cudaDeviceGetByPCIBusId(&number, "no bus"), cudaErrorInvalidValue);
	GUESS(cudaDeviceGetByPCIBusId(&number, "ffff:ff:1f.0"), cudaErrorInvalidDevice);
	ROW(cudaDeviceCanAccessPeer(NULL, 0, 0), cudaErrorInvalidValue);
	ROW(cudaDeviceDisablePeerAccess(0), cudaErrorPeerAccessNotEnabled);
	ROW(cudaHostGetDevicePointer(&out, host, 0), cudaErrorInvalidValue);
	ROW(cudaMemGetInfo(NULL, NULL), cudaSuccess);
	ROW(cudaGetDeviceProperties((struct cudaDeviceProp *)host, 4096), cudaErrorInvalidDevice);
}

int main(void)
{
	cudart_register(&image);
	if (cudaMalloc(&memory, 64) || cudaEventCreate(&event) || cudaStreamCreate(&stream) ||
	    cudaMemPoolCreate(&pool, &props) ||
	    cudaLibraryLoadData(&library, cudart_ptx, NULL, NULL, 0, NULL, NULL, 0)) {
		printf("not ok - the library does not start\n");
		return 1;
	}
	RUN(test_pools);
	RUN(test_libraries);
	RUN(test_logs);
	RUN(test_batches);
	RUN(test_managed);
	RUN(test_shapes);
	RUN(test_streams);
	RUN(test_launches);
	RUN(test_device);
	CHECK_INT(cudaLibraryUnload(library), cudaSuccess);
	CHECK_INT(cudaMemPoolDestroy(pool), cudaSuccess);
	CHECK_INT(cudaStreamDestroy(stream), cudaSuccess);
	CHECK_INT(cudaEventDestroy(event), cudaSuccess);
	CHECK_INT(cudaFree(memory), cudaSuccess);
	__cudaUnregisterFatBinary(image.handle);
	return tap_end();
}
