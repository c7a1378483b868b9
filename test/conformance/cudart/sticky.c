/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A kernel that traps: every call fails until the device is reset, by whichever thread. */
#include <pthread.h>

#include "cudart_use.h"

static struct cudart_image image;

static void *reset(void *unused)
{
	(void)unused;
	CHECK_INT(cudaDeviceReset(), cudaSuccess);
	return NULL;
}

static void test_reset_by_another_thread(void)
{
	dim3 one = { 1, 1, 1 };
	pthread_t thread;
	void *memory;

	CHECK_INT(cudaLaunchKernel(&image.trap, one, one, NULL, 0, NULL), cudaSuccess);
	CHECK_INT(cudaDeviceSynchronize(), cudaErrorLaunchFailure);
	CHECK_INT(cudaGetLastError(), cudaErrorLaunchFailure);
	CHECK_INT(cudaGetLastError(), cudaSuccess); /* the next call fails again */
	CHECK_INT(cudaMalloc(&memory, 4), cudaErrorLaunchFailure);
	REQUIRE(!pthread_create(&thread, NULL, reset, NULL));
	pthread_join(thread, NULL);
	CHECK_INT(cudaGetLastError(), cudaErrorLaunchFailure);
	CHECK_INT(cudaGetLastError(), cudaSuccess);
	if (on_gpu())
		return; /* the device is lost to the process */
	CHECK_INT(cudaMalloc(&memory, 4), cudaSuccess);
	CHECK_INT(cudaLaunchKernel(&image.nothing, one, one, NULL, 0, NULL), cudaSuccess);
	CHECK_INT(cudaDeviceSynchronize(), cudaSuccess);
	CHECK_INT(cudaFree(memory), cudaSuccess);
}

int main(void)
{
	cudart_register(&image);
	RUN(test_reset_by_another_thread);
	__cudaUnregisterFatBinary(image.handle);
	return tap_end();
}
