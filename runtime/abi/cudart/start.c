/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The life of the process, as far as this library is concerned: the driver is loaded and
 * initialised by the first call that needs it, an atexit handler ends it, and a
 * child of fork() cannot use what its parent has begun.
 */
#include <pthread.h>
#include <stdlib.h>

#include "cudart.h"
#include "device.h"
#include "end.h"
#include "image.h"
#include "words.h"

struct cudart cudart;
_Thread_local struct thread cudart_thread;

static pthread_once_t started = PTHREAD_ONCE_INIT;

static void set_phase(enum cudart_phase phase)
{
	atomic_store_explicit(&cudart.phase, phase, memory_order_release);
}

/* ---- fork() -------------------------------------------------------------------- */

static atomic_bool begun; /* the driver is about to be loaded, at least */
static _Thread_local bool holds_images;

/* What is registered is a child's, too, and whole, where the library has not begun or has
 * failed to. Else a child has no use for it, and the lock may be held for as long as code
 * is loaded. */
static void before_fork(void)
{
	holds_images = !atomic_load(&begun) || cudart_phase() == PHASE_FAILED;
	if (holds_images)
		image_lock();
}

static void after_fork(void)
{
	if (holds_images)
		image_unlock();
}

static void in_child(void)
{
	after_fork();
	if (!holds_images || (atomic_load(&begun) && cudart_phase() != PHASE_FAILED))
		set_phase(PHASE_FORKED);
}

__attribute__((constructor)) static void watch_fork(void)
{
	pthread_atfork(before_fork, after_fork, in_child);
}

/* ---- Begin and end --------------------------------------------------------------- */

static bool move_phase(enum cudart_phase from, enum cudart_phase to)
{
	return atomic_compare_exchange_strong(&cudart.phase, &from, to);
}

/* Other threads' calls are refused from here on: nothing is loaded after the unloading,
 * and the work that is waited for does not grow. */
static void at_exit(void)
{
	if (move_phase(PHASE_NEW, PHASE_ENDED) || !move_phase(PHASE_UP, PHASE_ENDED))
		return;
	end_process();
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
	if (atexit(at_exit))
		return cudaErrorMemoryAllocation;
	return device_begin();
}

static void start(void)
{
	atomic_store(&begun, true);
	cudart.failure = begin();
	/* Unless another thread has called exit() meanwhile. */
	if (!move_phase(PHASE_NEW, cudart.failure ? PHASE_FAILED : PHASE_UP))
		cudart.failure = cudaErrorCudartUnloading;
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
