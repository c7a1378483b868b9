/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What the files of libcudart share: the state of the process and of a thread,
 * and the way into a call.
 *
 * Nothing happens before the first call that needs the driver: registration alone
 * loads no driver. The state goes from PHASE_NEW to PHASE_UP or PHASE_FAILED once,
 * from PHASE_UP to PHASE_ENDED in an atexit handler, and, unless it is PHASE_NEW or
 * PHASE_FAILED, to PHASE_FORKED in a child of fork(): no lock is acquired there any more.
 */
#ifndef CUDART_H
#define CUDART_H

#include <stdatomic.h>
#include <stdbool.h>

#include "cudart_abi.h"
#include "driver.h"

enum cudart_phase { PHASE_NEW, PHASE_UP, PHASE_FAILED, PHASE_ENDED, PHASE_FORKED };

/* A launch between the <<<>>> and the host function of the kernel. */
struct configuration {
	dim3 grid, block;
	size_t shared;
	cudaStream_t stream;
};
enum { MOST_CONFIGURATIONS = 8 }; /* of launches within the arguments of launches */

struct thread {
	cudaError_t last;    /* what cudaGetLastError answers */
	int device;	     /* of cudaSetDevice */
	CUcontext current;   /* known to be current in the thread and alive, in this era */
	unsigned era;
	bool popped;	     /* a configuration, for the launch that follows */
	bool unread;	     /* of a launch by <<<>>> that failed: the program did not ask why */
	const void *launched; /* what the call launches by <<<>>>; NULL: nothing */
	unsigned configured; /* in configurations */
	struct configuration configurations[MOST_CONFIGURATIONS];
};

extern struct cudart {
	_Atomic enum cudart_phase phase;
	_Atomic unsigned era; /* of contexts: a reset begins a new one */
	cudaError_t failure;  /* of PHASE_FAILED */
} cudart;

extern _Thread_local struct thread cudart_thread;

/* Answers for every phase but PHASE_UP: loads the driver if it is not loaded. */
cudaError_t cudart_start(void);

/* Makes a context current that can be used: see STATE in cudart_api.def. */
cudaError_t cudart_bind(void);

/* The calls, by name, for traces and counts. */
enum cudart_call {
#define CUDART(name, state, params, call) CALL_##name,
#define CUDART_OTHER(name)		  CALL_##name,
#define CUDART_REFUSED(name)		  CALL_##name,
#include "cudart_api.def"
	CUDART_CALLS,
};

static inline enum cudart_phase cudart_phase(void)
{
	return atomic_load_explicit(&cudart.phase, memory_order_acquire);
}

static inline cudaError_t cudart_enter_NOTHING(void)
{
	return cudaSuccess;
}

static inline cudaError_t cudart_enter_DRIVER(void)
{
	return __builtin_expect(cudart_phase() == PHASE_UP, 1) ? cudaSuccess : cudart_start();
}

static inline cudaError_t cudart_enter_CONTEXT(void)
{
	struct thread *thread = &cudart_thread;
	CUcontext current;
	cudaError_t result = cudart_enter_DRIVER();

	if (result)
		return result;
	if (thread->current && thread->era == atomic_load(&cudart.era) &&
	    !cuda.cuCtxGetCurrent(&current) && current == thread->current)
		return cudaSuccess;
	return cudart_bind();
}

static inline cudaError_t cudart_enter_RELEASE(void)
{
	return cudart_enter_CONTEXT();
}

/* Tells whether a call of that state has nothing left to do. */
#define cudart_over_NOTHING() false
#define cudart_over_DRIVER()  false
#define cudart_over_CONTEXT() false
#define cudart_over_RELEASE() (cudart_phase() == PHASE_ENDED)

/* Records the @result of @call, and returns it. */
cudaError_t cudart_leave(enum cudart_call call, cudaError_t result);

#endif
