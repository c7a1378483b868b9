/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The life of the process, as far as this library goes: the driver is loaded and
 * initialised by the first call that needs it, an atexit handler ends it, and a
 * child of fork() cannot use what its parent has begun.
 */
#include <pthread.h>
#include <stdlib.h>

#include "cudart.h"
#include "device.h"
#include "image.h"
#include "words.h"

struct cudart cudart;
_Thread_local struct thread cudart_thread;

static pthread_once_t started = PTHREAD_ONCE_INIT;

static void set_phase(enum cudart_phase phase)
{
	atomic_store_explicit(&cudart.phase, phase, memory_order_release);
}

static void after_fork(void)
{
	if (cudart_phase() == PHASE_UP)
		set_phase(PHASE_FORKED);
}

static void at_exit(void)
{
	if (cudart_phase() != PHASE_UP)
		return;
	if (device_drain())
		image_unload_all();
	set_phase(PHASE_ENDED);
}

static cudaError_t begin(void)
{
	CUresult result = driver_load();
	int version = 0;

	if (result)
		return cudaErrorInsufficientDriver;
	result = cuda.cuInit(0);
	if (result)
		return (cudaError_t)result;
	if (!cuda.cuDriverGetVersion(&version) && version < CUDART_VERSION / 1000 * 1000)
		return cudaErrorInsufficientDriver;
	if (pthread_atfork(NULL, NULL, after_fork) || atexit(at_exit))
		return cudaErrorMemoryAllocation;
	return device_begin();
}

static void start(void)
{
	cudart.failure = begin();
	set_phase(cudart.failure ? PHASE_FAILED : PHASE_UP);
}

cudaError_t cudart_start(void)
{
	switch (cudart_phase()) {
	case PHASE_NEW:
		pthread_once(&started, start);
		return cudart.failure;
	case PHASE_UP:
		return cudaSuccess;
	case PHASE_FAILED:
		return cudart.failure;
	case PHASE_ENDED:
		return cudaErrorCudartUnloading;
	case PHASE_FORKED:
		break;
	}
	return cudaErrorInitializationError;
}
