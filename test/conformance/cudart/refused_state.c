/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* As refused.c: without a driver, after an error that sticks, after a reset. */
#include <sys/wait.h>
#include <unistd.h>

#include "cudart_rows.h"

static struct cudart_image image;
static void *memory, *out;
static const dim3 one = { 1, 1, 1 };
static int number;

/* Of a child whose driver is not there; NVIDIA's library finds its own all the same. */
static int without_driver(void)
{
	unsigned flags;

	ROW(cudaRuntimeGetVersion(&number), cudaSuccess);
	CHECK_INT(number, CUDART_VERSION);
	if (!cudaDriverGetVersion(&number) && number)
		return 0;
	CHECK_INT(number, 0);
	number = 7;
	ROW(cudaGetDeviceCount(&number), cudaErrorInsufficientDriver);
	CHECK_INT(number, 0);
	ROW(cudaGetDeviceCount(NULL), cudaErrorInvalidValue);
	ROW(cudaGetDevice(&number), cudaErrorInsufficientDriver);
	ROW(cudaSetDevice(0), cudaErrorInsufficientDriver);
	ROW(cudaGetDeviceFlags(&flags), cudaErrorInsufficientDriver);
	ROW(cudaSetDeviceFlags(0), cudaErrorInsufficientDriver);
	ROW(cudaDeviceReset(), cudaErrorInsufficientDriver);
	ROW(cudaDeviceSynchronize(), cudaErrorInsufficientDriver);
	ROW(cudaMalloc(&out, 4), cudaErrorInsufficientDriver);
	ROW(cudaFree(NULL), cudaErrorInsufficientDriver);
	ROW(cudaLaunchKernel(&image.nothing, one, one, NULL, 0, NULL),
	    cudaErrorInsufficientDriver);
	ROW(cudaGetSymbolAddress(&out, &image.counter), cudaErrorInsufficientDriver);
	ROW(cudaStreamSynchronize_ptsz(NULL), cudaErrorInsufficientDriver);
	CHECK_STR(cudaGetErrorName(cudaErrorInsufficientDriver), "cudaErrorInsufficientDriver");
	return tap.failed;
}

static void test_without_driver(void)
{
	int status = -1;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (!child) {
		setenv("GPURUN_DEVICE", "gpu", 1);
		setenv("GPURUN_DRIVER", "/no/such/driver", 1);
		if (!freopen("/dev/null", "w", stderr))
			_exit(2);
		_exit(without_driver() | fflush(stdout));
	}
	CHECK(child > 0 && waitpid(child, &status, 0) == child);
	CHECK_INT(status, 0);
}

/* What needs no driver is there before anything else has been called. */
static void test_before_any_call(void)
{
	dim3 grid = one, block = one;
	cudaStream_t stream = NULL;
	size_t shared = 0;

	ROW(cudaGetLastError(), cudaSuccess);
	ROW(cudaPeekAtLastError(), cudaSuccess);
	ROW(cudaRuntimeGetVersion(&number), cudaSuccess);
	ROW(__cudaPopCallConfiguration(&grid, &block, &shared, &stream),
	    cudaErrorMissingConfiguration);
	CHECK_STR(cudaGetErrorName(12345), "unrecognized error code");
	CHECK_STR(cudaGetErrorString(12345), "unrecognized error code");
}

#define LOST(call) CHECK_INT(call, cudaErrorLaunchFailure)

static void test_sticks(void)
{
	size_t size;
	char host[4];
	cudaEvent_t event;
	cudaStream_t stream;
	void *args[] = { &memory };

	ROW(cudaMalloc(&memory, 64), cudaSuccess);
	ROW(cudaLaunchKernel(&image.trap, one, one, NULL, 0, NULL), cudaSuccess);
	LOST(cudaDeviceSynchronize());
	LOST(cudaDeviceSynchronize());
	LOST(cudaStreamSynchronize(NULL));
	LOST(cudaStreamQuery(NULL));
	LOST(cudaStreamSynchronize_ptsz(NULL));
	LOST(cudaMalloc(&out, 4));
	LOST(cudaMallocHost(&out, 4));
	LOST(cudaFree(memory));
	LOST(cudaMemcpy(host, memory, 4, cudaMemcpyDeviceToHost));
	LOST(cudaMemcpyAsync(host, memory, 4, cudaMemcpyDeviceToHost, NULL));
	LOST(cudaMemset(memory, 0, 4));
	LOST(cudaEventCreate(&event));
	LOST(cudaStreamCreate(&stream));
	LOST(cudaMemGetInfo(&size, &size));
	LOST(cudaLaunchKernel(&image.bump, one, one, args, 0, NULL));
	LOST(cudaMemcpyToSymbol(&image.counter, host, 4, 0, cudaMemcpyHostToDevice));
	LOST(cudaPeekAtLastError());
	CHECK_INT(cudaGetDevice(&number), cudaSuccess);
	CHECK_INT(cudaGetDeviceCount(&number), cudaSuccess);
	CHECK_INT(cudaRuntimeGetVersion(&number), cudaSuccess);
	LOST(cudaGetLastError());
	CHECK_INT(cudaDeviceReset(), cudaSuccess);
	if (!on_gpu()) /* which is lost to the process */
		ROW(cudaDeviceSynchronize(), cudaSuccess);
}

/* What there was is gone; what the program says by its own addresses is there again. */
static void test_after_reset(void)
{
	uint32_t value = 9;
	cudaEvent_t event;
	cudaStream_t stream;
	void *args[] = { &memory };

	ROW(cudaMalloc(&memory, 64), cudaSuccess);
	ROW(cudaEventCreate(&event), cudaSuccess);
	ROW(cudaStreamCreate(&stream), cudaSuccess);
	ROW(cudaLaunchKernel(&image.bump, one, one, args, 0, stream), cudaSuccess);
	ROW(cudaDeviceReset(), cudaSuccess);
	ROW(cudaFree(memory), cudaErrorInvalidValue);
	if (!on_gpu()) { /* NVIDIA's follows the handle of a stream; events are 709 */
		ROW(cudaStreamSynchronize(stream), cudaErrorInvalidResourceHandle);
		ROW(cudaStreamDestroy(stream), cudaErrorInvalidResourceHandle);
		ROW(cudaEventQuery(event), cudaErrorInvalidResourceHandle);
		ROW(cudaEventDestroy(event), cudaErrorInvalidResourceHandle);
	}
	ROW(cudaMemcpyFromSymbol(&value, &image.counter, 4, 0, cudaMemcpyDeviceToHost),
	    cudaSuccess);
	CHECK_INT(value, 0);
	ROW(cudaMalloc(&memory, 64), cudaSuccess);
	ROW(cudaLaunchKernel(&image.bump, one, one, args, 0, NULL), cudaSuccess);
	ROW(cudaMemcpy(&value, memory, 4, cudaMemcpyDeviceToHost), cudaSuccess);
	CHECK_INT(value, 1);
	ROW(cudaDeviceReset(), cudaSuccess);
	ROW(cudaDeviceReset(), cudaSuccess);
	ROW(cudaFree(NULL), cudaSuccess);
}

int main(void)
{
	cudart_register(&image);
	RUN(test_before_any_call);
	RUN(test_without_driver);
	RUN(test_after_reset);
	RUN(test_sticks);
	if (!on_gpu())
		RUN(test_after_reset);
	__cudaUnregisterFatBinary(image.handle);
	return tap_end();
}
