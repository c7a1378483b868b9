/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The stub driver is told to fail: which failures stay, and what a later call finds. */
#include <sys/wait.h>
#include <unistd.h>

#include "cudart_use.h"

static struct cudart_image image;
static const dim3 one = { 1, 1, 1 };
static void *memory;

static void fail(const char *order)
{
	if (order)
		setenv("GPURUN_STUB_FAIL", order, 1);
	else
		unsetenv("GPURUN_STUB_FAIL");
}

/* A context that is lost fails every call of every thread until it is reset. */
static void test_sticky(void)
{
	static const int codes[] = { 700, 702, 710, 714, 715, 716, 717, 718, 719 };
	char order[64];

	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		snprintf(order, sizeof(order), "cuCtxSynchronize=%d", codes[i]);
		fail(order);
		CHECK_INT(cudaDeviceSynchronize(), codes[i]);
		fail(NULL);
		CHECK_INT(cudaMalloc(&memory, 4), codes[i]);
		CHECK_INT(cudaGetLastError(), codes[i]);
		CHECK_INT(cudaGetLastError(), cudaSuccess);
		CHECK_INT(cudaDeviceReset(), cudaSuccess);
		CHECK_INT(cudaGetLastError(), cudaSuccess);
		CHECK_INT(cudaLaunchKernel(&image.nothing, one, one, NULL, 0, NULL),
			  cudaSuccess);
	}
}

/* One that is not is gone with the call: the next one is as ever. */
static void once(const char *order, cudaError_t want)
{
	fail(order);
	tap_check_int(cudaLaunchKernel(&image.bump, one, one, NULL, 0, NULL), want, __FILE__,
		      __LINE__, order);
	fail(NULL);
	CHECK_INT(cudaGetLastError(), want);
	CHECK_INT(cudaGetLastError(), cudaSuccess);
	CHECK_INT(cudaLaunchKernel(&image.bump, one, one, NULL, 0, NULL), cudaSuccess);
	CHECK_INT(cudaDeviceReset(), cudaSuccess);
}

/* Each in the way of a first launch. */
static void test_first_launch(void)
{
	CHECK_INT(cudaDeviceReset(), cudaSuccess);
	once("cuDevicePrimaryCtxRetain=2", cudaErrorMemoryAllocation);
	once("cuDevicePrimaryCtxRetain=101", cudaErrorInvalidDevice);
	once("cuCtxSetCurrent=999", cudaErrorUnknown);
	once("cuLaunchKernel=701", cudaErrorLaunchOutOfResources);
}

/* A fresh image, whose load or kernel fails at its first use and is found at the next. */
static void test_first_use_of_an_image(void)
{
	static const struct {
		const char *order;
		cudaError_t want;
	} rows[] = {
		{ "cuLibraryLoadData=2", cudaErrorMemoryAllocation },
		{ "cuLibraryLoadData=218", cudaErrorInvalidPtx },
		{ "cuLibraryLoadData=222", cudaErrorUnsupportedPtxVersion },
		{ "cuLibraryGetKernel=500", cudaErrorSymbolNotFound },
		{ "cuLibraryGetKernel=999", cudaErrorUnknown },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		__cudaUnregisterFatBinary(image.handle);
		cudart_register(&image);
		once(rows[i].order, rows[i].want);
	}
}

/* Who finds no device at first finds none later: what began so stays so. */
static int without_device(void)
{
	int count = 7;

	fail("cuInit=100");
	CHECK_INT(cudaGetDeviceCount(&count), cudaErrorNoDevice);
	CHECK_INT(count, 0);
	fail(NULL);
	CHECK_INT(cudaFree(NULL), cudaErrorNoDevice);
	CHECK_INT(cudaGetLastError(), cudaErrorNoDevice);
	CHECK_INT(cudaGetLastError(), cudaSuccess);
	return tap.failed;
}

/* Before any other call of the process: a child's is its own. */
static void test_no_device(void)
{
	int status = 1;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (!child)
		_exit(without_device() | fflush(stdout));
	CHECK(child > 0 && waitpid(child, &status, 0) == child);
	CHECK_INT(status, 0);
}

int main(void)
{
	cudart_register(&image);
	RUN(test_no_device);
	RUN(test_sticky);
	RUN(test_first_launch);
	RUN(test_first_use_of_an_image);
	__cudaUnregisterFatBinary(image.handle);
	return tap_end();
}
