/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Calls that are refused, and with which code: the reference's, where it names one.
 * refused_more.c has the rest.
 */
#include <malloc.h>

#include "cudart_rows.h"
#include "sanitized.h"

static struct cudart_image image;
static void *memory, *out;
static size_t size;
static int number, absent = 4096;
static unsigned bits;
static float ms;
static char host[64];
static cudaEvent_t event, fresh;
static struct cudaFuncAttributes attributes;
static struct cudaPointerAttributes pointed;
static struct cudaPitchedPtr pitched;
static dim3 one = { 1, 1, 1 }, none, wide = { 1, 4096, 1 }, block = { 1025, 1, 1 };
static const char *text;

/* Of registered code, with an argument that it reads. */
static void test_works(void)
{
	uint32_t first = 0, second = 0;
	void *args[] = { &memory };

	ROW(cudaLaunchKernel(&image.bump, one, one, args, 0, NULL), cudaSuccess);
	ROW(cudaMemcpy(&first, memory, 4, cudaMemcpyDeviceToHost), cudaSuccess);
	ROW(cudaMemcpyFromSymbol(&second, &image.counter, 4, 0, cudaMemcpyDeviceToHost),
	    cudaSuccess);
	CHECK_INT(first, 1);
	CHECK_INT(second, 1);
}

static void test_devices(void)
{
	ROW(cudaGetDevice(NULL), cudaErrorInvalidValue);
	ROW(cudaGetDeviceCount(NULL), cudaErrorInvalidValue);
	ROW(cudaSetDevice(-1), cudaErrorInvalidDevice);
	ROW(cudaSetDevice(4096), cudaErrorInvalidDevice);
	ROW(cudaGetDeviceFlags(NULL), cudaErrorInvalidValue);
	ROW(cudaSetDeviceFlags(~0u), cudaErrorInvalidValue);
	ROW(cudaInitDevice(-1, 0, 0), cudaErrorInvalidDevice);
	ROW(cudaInitDevice(4096, 0, 0), cudaErrorInvalidDevice);
	ROW(cudaInitDevice(0, 0, 2), cudaSuccess);
	ROW(cudaDeviceGetAttribute(NULL, 1, 0), cudaErrorInvalidValue);
	ROW(cudaDeviceGetAttribute(&number, 1, -1), cudaErrorInvalidDevice);
	ROW(cudaDeviceGetAttribute(&number, 0, 0), cudaErrorInvalidValue);
	ROW(cudaGetDeviceProperties(NULL, 0), cudaErrorInvalidValue);
	ROW(cudaDriverGetVersion(NULL), cudaErrorInvalidValue);
	ROW(cudaRuntimeGetVersion(NULL), cudaErrorInvalidValue);
	ROW(cudaChooseDevice(NULL, NULL), cudaErrorInvalidValue);
	GUESS(cudaSetValidDevices(NULL, 1), cudaErrorInvalidValue);
	GUESS(cudaSetValidDevices(&number, -1), cudaErrorInvalidValue);
	ROW(cudaSetValidDevices(&number, 4096), cudaErrorInvalidValue);
	ROW(cudaSetValidDevices(&absent, 1), cudaErrorInvalidDevice);
	ROW(cudaSetValidDevices(&number, 1), cudaSuccess);
	ROW(cudaSetValidDevices(NULL, 0), cudaSuccess);
	ROW(cudaDeviceCanAccessPeer(&number, -1, 0), cudaErrorInvalidDevice);
	ROW(cudaDeviceCanAccessPeer(&number, 0, 4096), cudaErrorInvalidDevice);
	ROW(cudaDeviceEnablePeerAccess(-1, 0), cudaErrorInvalidDevice);
	ROW(cudaDeviceEnablePeerAccess(0, 0), cudaErrorPeerAccessUnsupported);
	ROW(cudaDeviceDisablePeerAccess(4096), cudaErrorInvalidDevice);
	ROW(cudaDeviceGetPCIBusId(NULL, 16, 0), cudaErrorInvalidValue);
	ROW(cudaDeviceGetPCIBusId(host, 16, 4096), cudaErrorInvalidDevice);
	ROW(cudaDeviceGetByPCIBusId(&number, NULL), cudaErrorInvalidValue);
	ROW(cudaDeviceGetLimit(NULL, 0), cudaErrorInvalidValue);
	ROW(cudaDeviceGetDefaultMemPool(NULL, 0), cudaErrorInvalidValue);
	ROW(cudaDeviceGetMemPool(NULL, 0), cudaErrorInvalidValue);
}

static void test_memory(void)
{
	ROW(cudaMalloc(NULL, 1), cudaErrorInvalidValue);
	ROW(cudaMalloc(&out, SIZE_MAX / 2), cudaErrorMemoryAllocation);
	ROW(cudaMalloc(&out, 0), cudaSuccess);
	ROW(cudaMallocHost(NULL, 1), cudaErrorInvalidValue);
	ROW(cudaHostAlloc(NULL, 1, 0), cudaErrorInvalidValue);
	ROW(cudaHostAlloc(&out, 1, ~0u), cudaErrorInvalidValue);
	ROW(cudaMallocManaged(NULL, 1, 1), cudaErrorInvalidValue);
	ROW(cudaMallocManaged(&out, 1, 0), cudaErrorInvalidValue);
	ROW(cudaMallocManaged(&out, 0, 1), cudaSuccess);
	ROW(cudaMallocPitch(NULL, &size, 1, 1), cudaErrorInvalidValue);
	ROW(cudaMallocPitch(&out, NULL, 1, 1), cudaErrorInvalidValue);
	ROW(cudaMalloc3D(NULL, (struct cudaExtent){ 1, 1, 1 }), cudaErrorInvalidValue);
	ROW(cudaMallocAsync(NULL, 1, NULL), cudaErrorInvalidValue);
	ROW(cudaFree(NULL), cudaSuccess);
	ROW(cudaFree(host), cudaErrorInvalidValue);
	ROW(cudaFree((void *)8), cudaErrorInvalidValue);
	ROW(cudaFreeHost(NULL), cudaSuccess);
	ROW(cudaFreeHost(host), cudaErrorInvalidValue);
	GUESS(cudaFreeAsync((void *)8, NULL), cudaErrorInvalidValue);
	ROW(cudaHostRegister(NULL, 1, 0), cudaErrorInvalidValue);
	ROW(cudaHostRegister(host, 0, 0), cudaErrorInvalidValue);
	ROW(cudaHostUnregister(host), cudaErrorHostMemoryNotRegistered);
	ROW(cudaHostGetDevicePointer(NULL, host, 0), cudaErrorInvalidValue);
	ROW(cudaHostGetFlags(NULL, host), cudaErrorInvalidValue);
	ROW(cudaHostGetFlags(&bits, host), cudaErrorInvalidValue);
	ROW(cudaPointerGetAttributes(NULL, memory), cudaErrorInvalidValue);
	ROW(cudaPointerGetAttributes(&pointed, host), cudaSuccess);
	CHECK_INT(pointed.type, cudaMemoryTypeUnregistered);
}

static void test_copies(void)
{
	ROW(cudaMemcpy(memory, host, 4, 5), cudaErrorInvalidMemcpyDirection);
	ROW(cudaMemcpy(memory, host, 4, -1), cudaErrorInvalidMemcpyDirection);
	ROW(cudaMemcpy(NULL, host, 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
	ROW(cudaMemcpy(memory, NULL, 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
	ROW(cudaMemcpy(NULL, NULL, 0, cudaMemcpyDefault), cudaSuccess);
	ROW(cudaMemcpy(memory, host, 1 << 30, cudaMemcpyDeviceToDevice), cudaErrorInvalidValue);
	ROW(cudaMemcpyAsync(memory, host, 4, 5, NULL), cudaErrorInvalidMemcpyDirection);
	ROW(cudaMemcpyAsync(memory, NULL, 4, 1, NULL), cudaErrorInvalidValue);
	ROW(cudaMemcpy2D(memory, 2, host, 4, 4, 1, 1), cudaErrorInvalidValue);
	ROW(cudaMemcpy2D(memory, 4, host, 2, 4, 1, 1), cudaErrorInvalidValue);
	ROW(cudaMemcpy2D(memory, 4, host, 4, 4, 1, 7), cudaErrorInvalidMemcpyDirection);
	ROW(cudaMemcpy2D(NULL, 4, host, 4, 4, 1, 1), cudaErrorInvalidValue);
	ROW(cudaMemcpy2D(memory, 2, host, 4, 4, 2, 1), cudaErrorInvalidPitchValue);
	ROW(cudaMemcpy2DAsync(memory, 2, host, 4, 4, 1, 1, NULL), cudaErrorInvalidValue);
	ROW(cudaMemcpy3D(NULL), cudaErrorInvalidValue);
	ROW(cudaMemcpy3DAsync(NULL, NULL), cudaErrorInvalidValue);
	GUESS(cudaMemcpy3DPeer(NULL), cudaErrorInvalidValue);
	ROW(cudaMemcpyPeer(memory, 4096, memory, 0, 4), cudaErrorInvalidDevice);
	ROW(cudaMemcpyPeer(memory, 0, memory, -1, 4), cudaErrorInvalidDevice);
	ROW(cudaMemset(NULL, 0, 4), cudaErrorInvalidValue);
	ROW(cudaMemset(NULL, 0, 0), cudaSuccess);
	ROW(cudaMemsetAsync(NULL, 0, 4, NULL), cudaErrorInvalidValue);
	ROW(cudaMemset2D(memory, 2, 0, 4, 2), cudaErrorInvalidValue);
	GUESS(cudaMemset3D(pitched, 0, (struct cudaExtent){ 1, 1, 1 }), cudaErrorInvalidValue);
}

static void test_symbols(void)
{
	ROW(cudaGetSymbolAddress(NULL, &image.counter), cudaErrorInvalidValue);
	ROW(cudaGetSymbolAddress(&out, NULL), cudaErrorInvalidSymbol);
	ROW(cudaGetSymbolAddress(&out, host), cudaErrorInvalidSymbol);
	ROW(cudaGetSymbolAddress(&out, &image.absent), cudaErrorSymbolNotFound);
	ROW(cudaGetSymbolAddress(&out, &image.bump), cudaErrorInvalidSymbol);
	ROW(cudaGetSymbolSize(NULL, &image.counter), cudaErrorInvalidValue);
	ROW(cudaGetSymbolSize(&size, host), cudaErrorInvalidSymbol);
	ROW(cudaMemcpyToSymbol(host, host, 4, 0, 1), cudaErrorInvalidSymbol);
	ROW(cudaMemcpyToSymbol(&image.counter, host, 5, 0, 1), cudaErrorInvalidValue);
	ROW(cudaMemcpyToSymbol(&image.counter, host, 4, SIZE_MAX, 1), cudaErrorInvalidValue);
	ROW(cudaMemcpyToSymbol(&image.counter, host, 4, 0, 2), cudaErrorInvalidMemcpyDirection);
	ROW(cudaMemcpyToSymbol(&image.counter, NULL, 4, 0, 1), cudaErrorInvalidValue);
	ROW(cudaMemcpyFromSymbol(host, host, 4, 0, 2), cudaErrorInvalidSymbol);
	ROW(cudaMemcpyFromSymbol(host, &image.counter, 4, 1, 2), cudaErrorInvalidValue);
	ROW(cudaMemcpyFromSymbol(host, &image.counter, 4, 0, 1), cudaErrorInvalidMemcpyDirection);
}

static void test_kernels(void)
{
	ROW(cudaLaunchKernel(NULL, one, one, NULL, 0, NULL), cudaErrorInvalidDeviceFunction);
	ROW(cudaLaunchKernel(host, one, one, NULL, 0, NULL), cudaErrorInvalidResourceHandle);
	ROW(cudaLaunchKernel(&image.missing, one, one, NULL, 0, NULL), cudaErrorSymbolNotFound);
	GUESS(cudaLaunchKernel(&image.bump, one, one, NULL, 0, NULL), cudaErrorInvalidValue);
	ROW(cudaLaunchKernel(&image.nothing, none, one, NULL, 0, NULL), cudaErrorInvalidValue);
	ROW(cudaLaunchKernel(&image.nothing, one, block, NULL, 0, NULL), cudaErrorInvalidValue);
	ROW(cudaLaunchKernel(&image.nothing, one, wide, NULL, 0, NULL), cudaErrorInvalidValue);
	ROW(cudaLaunchKernel(&image.nothing, one, one, NULL, SIZE_MAX, NULL),
	    cudaErrorInvalidValue);
	ROW(cudaLaunchKernelExC(NULL, &image.nothing, NULL), cudaErrorInvalidValue);
	ROW(cudaLaunchCooperativeKernel(host, one, one, NULL, 0, NULL),
	    cudaErrorInvalidResourceHandle);
	ROW(cudaFuncGetAttributes(NULL, &image.bump), cudaErrorInvalidValue);
	ROW(cudaFuncGetAttributes(&attributes, NULL), cudaErrorInvalidDeviceFunction);
	ROW(cudaFuncGetAttributes(&attributes, &image.counter), cudaErrorInvalidResourceHandle);
	ROW(cudaFuncSetAttribute(host, 8, 0), cudaErrorInvalidResourceHandle);
	ROW(cudaFuncSetAttribute(&image.bump, 99, 0), cudaErrorInvalidValue);
	ROW(cudaFuncGetName(NULL, &image.bump), cudaErrorInvalidValue);
	ROW(cudaFuncGetName(&text, host), cudaErrorInvalidResourceHandle);
	ROW(cudaOccupancyMaxActiveBlocksPerMultiprocessor(NULL, &image.bump, 32, 0),
	    cudaErrorInvalidValue);
	ROW(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&number, host, 32, 0),
	    cudaErrorInvalidResourceHandle);
}

/* What the compiler's code does around a launch. */
static void test_configuration(void)
{
	cudaStream_t stream;

	ROW(__cudaPopCallConfiguration(&none, &none, &size, &stream),
	    cudaErrorMissingConfiguration);
	ROW(__cudaPushCallConfiguration(one, wide, 5, NULL), cudaSuccess);
	if (!on_nvidia()) { /* which takes the configuration away, and follows the pointers */
		ROW(__cudaPopCallConfiguration(NULL, &none, &size, &stream), cudaErrorInvalidValue);
		ROW(__cudaPopCallConfiguration(NULL, NULL, NULL, NULL), cudaErrorInvalidValue);
	}
	ROW(__cudaPopCallConfiguration(&one, &none, &size, &stream), cudaSuccess);
	CHECK_INT(none.y, wide.y);
	CHECK_INT(size, 5);
	ROW(__cudaPopCallConfiguration(NULL, NULL, NULL, NULL), cudaErrorMissingConfiguration);
	none = (dim3){ 0, 0, 0 };
}

/* One that is there and one that is not: asked for again, nothing is entered again. */
static void test_managed(void)
{
	enum { TIMES = 1000 };
	void *missing = NULL, *both = NULL;
	size_t before;

	__cudaRegisterManagedVar(image.handle, &missing, "nowhere", "nowhere", 0, 4, 0, 0);
	__cudaRegisterManagedVar(image.handle, &both, "both", "both", 0, 4, 0, 0);
	CHECK_INT(__cudaInitModule(image.handle), 0);
	CHECK(both != NULL);
	before = mallinfo2().uordblks;
	for (int i = 0; i < TIMES; i++)
		__cudaInitModule(image.handle);
	cudaGetLastError();
	CHECK(SANITIZED || mallinfo2().uordblks - before < TIMES);
	ROW(cudaMemcpyToSymbol(both, host, 4, 0, 1), cudaSuccess);
}

static void test_streams_events(void)
{
	ROW(cudaStreamCreate(NULL), cudaErrorInvalidValue);
	ROW(cudaStreamCreateWithFlags((cudaStream_t *)&out, 99), cudaErrorInvalidValue);
	ROW(cudaStreamGetFlags(NULL, NULL), cudaErrorInvalidValue);
	ROW(cudaStreamGetPriority(NULL, NULL), cudaErrorInvalidValue);
	GUESS(cudaStreamDestroy(NULL), cudaErrorInvalidResourceHandle);
	ROW(cudaLaunchHostFunc(NULL, NULL, NULL), cudaErrorInvalidValue);
	GUESS(cudaStreamAddCallback(NULL, NULL, NULL, 0), cudaErrorInvalidValue);
	ROW(cudaEventCreate(NULL), cudaErrorInvalidValue);
	ROW(cudaEventCreateWithFlags(&fresh, 99), cudaErrorInvalidValue);
	ROW(cudaEventDestroy(NULL), cudaErrorInvalidResourceHandle);
	ROW(cudaEventQuery(NULL), cudaErrorInvalidResourceHandle);
	ROW(cudaEventSynchronize(NULL), cudaErrorInvalidResourceHandle);
	ROW(cudaEventRecord(NULL, NULL), cudaErrorInvalidResourceHandle);
	ROW(cudaStreamWaitEvent(NULL, NULL, 0), cudaErrorInvalidResourceHandle);
	ROW(cudaEventElapsedTime(NULL, event, event), cudaErrorInvalidValue);
	ROW(cudaEventElapsedTime(&ms, event, event), cudaErrorInvalidResourceHandle);
}

int main(void)
{
	cudart_register(&image);
	if (cudaMalloc(&memory, 64) || cudaEventCreate(&event)) {
		printf("not ok - the library does not start\n");
		return 1;
	}
	RUN(test_works);
	RUN(test_devices);
	RUN(test_memory);
	RUN(test_copies);
	RUN(test_symbols);
	RUN(test_kernels);
	RUN(test_configuration);
	if (!on_nvidia()) /* which registers no variable after the end of registration */
		RUN(test_managed);
	RUN(test_streams_events);
	CHECK_INT(cudaEventDestroy(event), cudaSuccess);
	CHECK_INT(cudaFree(memory), cudaSuccess);
	__cudaUnregisterFatBinary(image.handle);
	return tap_end();
}
