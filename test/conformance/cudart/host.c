/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What calls of the runtime answer inside a host function (cudaLaunchHostFunc): those that look at
 * an event or at a stream's device work there, as with NVIDIA's library; others are 800
 * (cudaErrorNotPermitted).
 */
#include "cudart_rows.h"

static cudaStream_t stream;
static cudaEvent_t first, second;
static void *memory;

static void ask(void *asked)
{
	float ms;
	int number = -1;
	void *more;

	ROW(cudaEventQuery(first), cudaSuccess);
	ROW(cudaEventSynchronize(first), cudaSuccess);
	ROW(cudaEventElapsedTime(&ms, first, second), cudaSuccess);
	ROW(cudaEventQuery(NULL), cudaErrorInvalidResourceHandle);
	ROW(cudaStreamGetDevice(stream, &number), cudaSuccess);
	CHECK_INT(number, 0);
	ROW(cudaGetDeviceCount(&number), cudaSuccess);
	CHECK(number >= 1);
	ROW(cudaGetDevice(&number), cudaErrorNotPermitted);
	ROW(cudaSetDevice(0), cudaErrorNotPermitted);
	ROW(cudaMalloc(&more, 4), cudaErrorNotPermitted);
	ROW(cudaFree(memory), cudaErrorNotPermitted);
	ROW(cudaMemset(memory, 0, 4), cudaErrorNotPermitted);
	ROW(cudaStreamSynchronize(stream), cudaErrorNotPermitted);
	ROW(cudaDeviceSynchronize(), cudaErrorNotPermitted);
	*(bool *)asked = true;
}

static void test_calls_in_a_host_function(void)
{
	bool asked = false;

	CHECK_INT(cudaMalloc(&memory, 4), cudaSuccess);
	CHECK_INT(cudaStreamCreate(&stream), cudaSuccess);
	CHECK_INT(cudaEventCreate(&first), cudaSuccess);
	CHECK_INT(cudaEventCreate(&second), cudaSuccess);
	CHECK_INT(cudaEventRecord(first, stream), cudaSuccess);
	CHECK_INT(cudaEventRecord(second, stream), cudaSuccess);
	CHECK_INT(cudaStreamSynchronize(stream), cudaSuccess);
	CHECK_INT(cudaLaunchHostFunc(stream, ask, &asked), cudaSuccess);
	CHECK_INT(cudaStreamSynchronize(stream), cudaSuccess);
	CHECK(asked);
	CHECK_INT(cudaEventDestroy(first), cudaSuccess);
	CHECK_INT(cudaEventDestroy(second), cudaSuccess);
	CHECK_INT(cudaStreamDestroy(stream), cudaSuccess);
	CHECK_INT(cudaFree(memory), cudaSuccess);
}

int main(void)
{
	RUN(test_calls_in_a_host_function);
	return tap_end();
}
