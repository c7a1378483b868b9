/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The current context of the calling thread. A thread that has none gets the
 * device's and keeps it; a thread with another one has it pushed for the call
 * and popped after it.
 */
#ifndef RUNTIME_CONTEXT_H
#define RUNTIME_CONTEXT_H

#include "device.h"

/* Whether leaving has something to take back. Zeroed at first; CLEANUP(context_leave). */
struct context_scope {
	bool pushed;
};

/* Tells the context of @device, retaining it when this is its first use. */
int context_retain(struct device *device, CUcontext *out, struct err *e);

/*
 * Finds the device whose primary context @context is, retaining the primary
 * contexts that somebody else has made meanwhile. GPURUN_INVALID when none is.
 */
int context_find_device(CUcontext context, struct device **out, struct err *e);

/* The part of context_enter() that is rare: cuCtxGetCurrent said @result and @current. */
int context_switch(struct device *device, CUresult result, CUcontext current,
		   struct context_scope *scope, struct err *e);

/* Makes the context of @device current, retaining it when this is its first use. */
static inline int context_enter(struct device *device, struct context_scope *scope,
				struct err *e)
{
	CUcontext current = NULL;
	CUresult result = runtime.cuda.cuCtxGetCurrent(&current);

	if (!result && current &&
	    current == atomic_load_explicit(&device->context, memory_order_acquire))
		return 0;
	return context_switch(device, result, current, scope, e);
}

/* The same as a step: a failure is noted, and the steps after it are made all the same. */
bool context_step(struct device *device, struct context_scope *scope);

void context_leave(struct context_scope *scope);

/* Gives back the context of a device that goes. */
void context_release(struct device *device);

int context_push(struct gpurun_device handle, struct err *e);
int context_pop(struct err *e);

/* Takes back the pushes of this thread that have not been popped. */
void context_pop_all(void);

#endif
