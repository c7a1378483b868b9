/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The way into the driver. Every exported call that touches its state enters
 * here: one lock guards everything of contexts, streams, operations, events and
 * modules. Kernels, copies, host functions and loading run outside of it.
 *
 *	CLEANUP(leave) struct api_call call = enter(NEED_CONTEXT);
 *
 *	TRY(call.result);
 */
#ifndef DRIVER_ENTRY_H
#define DRIVER_ENTRY_H

#include <pthread.h>
#include <stdbool.h>

#include "cuda_abi.h"

/* What a call needs; each includes those above it. */
enum need {
	NEED_INIT,    /* cuInit has succeeded (else 3), the process is not ending (else 4) */
	NEED_ACTIVE,  /* the primary context lives (else 201) and no kernel has faulted */
	NEED_CONTEXT, /* and it is current in the calling thread (else 201) */
};

struct api_call {
	CUresult result; /* why the call may not go on, or 0 */
	bool locked;
};

/* Takes the lock when the result is 0. @name is that of the exported function, for reports. */
struct api_call enter_from(enum need need, const char *name);
#define enter(need) enter_from(need, __func__)

/* Gives the lock back when it is held. */
void leave(struct api_call *call);

/* Gives the lock back for a while: driver_unlock() ... driver_lock() around what may last. */
void driver_unlock(void);
void driver_lock(void);

/*
 * Waits, with the lock held, until driver_changed() has been called. Fails with
 * 4 once the process is ending.
 */
CUresult wait_change(void);

/* Wakes those in wait_change(). The caller holds the lock. */
void driver_changed(void);

/* Tells whether the process is ending. */
bool driver_ended(void);

/* The driver's lock, for the condition variables of the worker threads. */
extern pthread_mutex_t driver_mutex;

#endif
