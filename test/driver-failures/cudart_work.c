/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Scenarios over libcudart: devices, kernels, libraries, streams. */
#include "cudart_calls.h"

static const dim3 one = { 1, 1, 1 };

static void ask_devices(void)
{
	static struct cudaDeviceProp properties;
	CUatomicOperation operation = 0;
	unsigned flags;
	char id[16];
	int number;
	CUfunc_cache cache;
	CUsharedconfig banks;
	size_t size, all;

	STEP(cudaGetDeviceCount(&number));
	STEP(cudaRuntimeGetVersion(&number));
	STEP(cudaDriverGetVersion(&number));
	STEP(cudaGetDeviceProperties(&properties, 0));
	STEP(cudaChooseDevice(&number, &properties));
	STEP(cudaDeviceGetAttribute(&number, 1, 0));
	STEP(cudaDeviceGetPCIBusId(id, sizeof(id), 0));
	STEP(cudaDeviceGetByPCIBusId(&number, id));
	STEP(cudaDeviceGetHostAtomicCapabilities(&flags, &operation, 1, 0));
	STEP(cudaGetDeviceFlags(&flags));
	STEP(cudaDeviceGetLimit(&size, CU_LIMIT_STACK_SIZE));
	STEP(cudaDeviceGetCacheConfig(&cache));
	STEP(cudaDeviceGetSharedMemConfig(&banks));
	STEP(cudaDeviceGetStreamPriorityRange(&number, &number));
	STEP(cudaMemGetInfo(&size, &all));
}

void cudart_devices(void)
{
	CUlogsCallbackHandle callback;
	CUstreamCaptureMode mode = 0;
	const void *table;
	CUuuid uuid = { 0 };
	CUlogIterator at;
	char text[64];
	size_t size = sizeof(text);
	int number = 0;
	void *call;

	ask_devices();
	if (cudaPeekAtLastError())
		return;
	STEP(cudaSetValidDevices(&number, 1));
	STEP(cudaSetDeviceFlags(0));
	STEP(cudaInitDevice(0, 0, 1));
	STEP(cudaSetDevice(0));
	STEP(cudaGetDevice(&number));
	STEP(cudaDeviceSetLimit(CU_LIMIT_STACK_SIZE, 2048));
	STEP(cudaDeviceSetCacheConfig(0));
	STEP(cudaDeviceSetSharedMemConfig(0));
	STEP(cudaCtxResetPersistingL2Cache());
	STEP(cudaDeviceFlushGPUDirectRDMAWrites(0, 0));
	STEP(cudaGetExportTable(&table, &uuid));
	STEP(cudaGetDriverEntryPoint("cuInit", &call, 0, NULL));
	STEP(cudaGetDriverEntryPointByVersion("cuInit", &call, 12000, 0, NULL));
	STEP(cudaThreadExchangeStreamCaptureMode(&mode));
	STEP(cudaLogsRegisterCallback(NULL, NULL, &callback));
	STEP(cudaLogsCurrent(&at, 0));
	STEP(cudaLogsDumpToFile(&at, "/dev/null", 0));
	STEP(cudaLogsDumpToMemory(&at, text, &size, 0));
	STEP(cudaLogsUnregisterCallback(callback));
	STEP(cudaProfilerStart());
	STEP(cudaProfilerStop());
	STEP(cudaDeviceSynchronize());
}

static void ask_kernel(const void *bump)
{
	struct cudaFuncAttributes attributes;
	cudaLaunchConfig_t config = { .gridDim = one, .blockDim = one };
	cudaFunction_t function;
	cudaKernel_t kernel;
	const char *name;
	size_t size, offset;
	int number;

	STEP(cudaFuncGetAttributes(&attributes, bump));
	STEP(cudaFuncGetName(&name, bump));
	STEP(cudaFuncGetParamInfo(bump, 0, &offset, &size));
	STEP(cudaFuncSetAttribute(bump, 8, 1024));
	STEP(cudaFuncSetCacheConfig(bump, 0));
	STEP(cudaFuncSetSharedMemConfig(bump, 0));
	STEP(cudaGetFuncBySymbol(&function, bump));
	STEP(cudaGetKernel(&kernel, bump));
	STEP(cudaOccupancyAvailableDynamicSMemPerBlock(&size, bump, 1, 32));
	STEP(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&number, bump, 32, 0));
	STEP(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&number, bump, 32, 0, 0));
	STEP(cudaOccupancyMaxActiveClusters(&number, bump, &config));
	STEP(cudaOccupancyMaxPotentialClusterSize(&number, bump, &config));
}

/* By the program's own addresses. */
void cudart_kernels(void)
{
	cudaLaunchConfig_t config = { .gridDim = one, .blockDim = one };
	void *memory = NULL, *args[] = { &memory }, *address;
	const void *bump = &cudart_code.bump;
	cudaKernel_t kernel;
	uint32_t value = 1;
	size_t size;

	STEP(cudaLaunchKernel(&cudart_code.nothing, one, one, NULL, 0, NULL));
	STEP(cudaMalloc(&memory, 64));
	STEP(cudaLaunchKernel(bump, one, one, args, 0, NULL));
	STEP(cudaLaunchKernel_ptsz(bump, one, one, args, 0, NULL));
	STEP(cudaLaunchKernelExC(&config, bump, args));
	STEP(cudaLaunchCooperativeKernel(bump, one, one, args, 0, NULL));
	STEP(__cudaGetKernel(&kernel, bump));
	STEP(__cudaLaunchKernel(kernel, one, one, args, 0, NULL));
	STEP(cudaGetSymbolAddress(&address, &cudart_code.counter));
	STEP(cudaGetSymbolSize(&size, &cudart_code.counter));
	/* What is written is what was there: the stub's variables lie over their names. */
	STEP(cudaMemcpyFromSymbol(&value, &cudart_code.counter, 4, 0, cudaMemcpyDeviceToHost));
	STEP(cudaMemcpyToSymbol(&cudart_code.counter, &value, 4, 0, cudaMemcpyHostToDevice));
	STEP(cudaMemcpyToSymbolAsync(&cudart_code.counter, &value, 4, 0, 1, NULL));
	STEP(cudaMemcpyFromSymbolAsync(&value, &cudart_code.counter, 4, 0, 2, NULL));
	STEP(cudaMemcpyFromSymbol_ptds(&value, &cudart_code.counter, 4, 0, 2));
	ask_kernel(bump);
	if (cudaPeekAtLastError())
		return;
	STEP(cudaDeviceSynchronize());
	STEP(cudaFree(memory));
}

void cudart_libraries(void)
{
	cudaKernel_t kernel, kernels[3];
	cudaLibrary_t more;
	void *address;
	unsigned count;
	size_t size;

	STEP(cudaLibraryLoadData(&cudart_library, cudart_ptx, NULL, NULL, 0, NULL, NULL, 0));
	STEP(cudaLibraryGetKernelCount(&count, cudart_library));
	STEP(cudaLibraryEnumerateKernels(kernels, 3, cudart_library));
	STEP(cudaLibraryGetKernel(&kernel, cudart_library, "nothing"));
	STEP(cudaKernelSetAttributeForDevice(kernel, 8, 1024, 0));
	STEP(cudaLaunchKernel((const void *)kernel, one, one, NULL, 0, NULL));
	STEP(cudaLibraryGetGlobal(&address, &size, cudart_library, "counter"));
	STEP(cudaLibraryGetManaged(&address, &size, cudart_library, "counter"));
	STEP(cudaLibraryGetUnifiedFunction(&address, cudart_library, "nothing"));
	STEP(cudaLibraryUnload(cudart_library));
	cudart_library = NULL;
	STEP(cudaLibraryLoadFromFile(&more, "test/driver-failures/empty.ptx", NULL, NULL, 0, NULL, NULL,
				     0));
	cudart_library = more;
}

static void ask_stream(cudaStream_t stream)
{
	CUstreamAttrValue value = { 0 };
	CUstreamCaptureStatus status;
	unsigned long long id;
	unsigned flags;
	int number;

	STEP(cudaStreamGetAttribute(stream, CU_LAUNCH_ATTRIBUTE_PRIORITY, &value));
	STEP(cudaStreamSetAttribute(stream, CU_LAUNCH_ATTRIBUTE_PRIORITY, &value));
	STEP(cudaStreamCopyAttributes(stream, stream));
	STEP(cudaStreamGetCaptureInfo(stream, &status, &id, NULL, NULL, NULL, NULL));
	STEP(cudaStreamGetDevice(stream, &number));
	STEP(cudaStreamGetFlags(stream, &flags));
	STEP(cudaStreamGetId(stream, &id));
	STEP(cudaStreamGetPriority(stream, &number));
	STEP(cudaStreamIsCapturing(stream, &status));
	STEP(cudaStreamQuery(stream));
}

static void nothing(void *data)
{
	(void)data;
}

static void called(cudaStream_t stream, cudaError_t status, void *data)
{
	(void)stream, (void)status, (void)data;
}

void cudart_streams(void)
{
	cudaStream_t stream, second, third;
	cudaEvent_t event, other;
	float ms;

	STEP(cudaStreamCreate(&stream));
	STEP(cudaStreamCreateWithFlags(&second, CU_STREAM_NON_BLOCKING));
	STEP(cudaStreamCreateWithPriority(&third, 0, 0));
	STEP(cudaEventCreate(&event));
	STEP(cudaEventCreateWithFlags(&other, 0));
	STEP(cudaEventRecord(event, stream));
	STEP(cudaEventRecordWithFlags(other, stream, 0));
	STEP(cudaStreamWaitEvent(second, event, 0));
	STEP(cudaLaunchHostFunc(stream, nothing, NULL));
	STEP(cudaStreamAddCallback(stream, called, NULL, 0));
	STEP(cudaEventSynchronize(other));
	STEP(cudaEventQuery(event));
	STEP(cudaEventElapsedTime(&ms, event, other));
	ask_stream(stream);
	if (cudaPeekAtLastError())
		return;
	STEP(cudaStreamSynchronize(stream));
	STEP(cudaStreamSynchronize_ptsz(NULL));
	STEP(cudaEventDestroy(event));
	STEP(cudaEventDestroy(other));
	STEP(cudaStreamDestroy(stream));
	STEP(cudaStreamDestroy(second));
	STEP(cudaStreamDestroy(third));
}
