/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The current context of the calling thread. A thread that has none gets the
 * device's and keeps it; a thread with another one has it pushed for the call
 * and popped after it.
 */
#ifndef RUNTIME_CONTEXT_H
#define RUNTIME_CONTEXT_H

#include "device.h"

/* Whether leaving has to pop a context. Zeroed initially; CLEANUP(context_leave). */
struct context_scope {
	bool pushed;
};

/* Returns the context of @device, retaining it when this is its first use. */
int context_retain(struct device *device, CUcontext *out, struct err *e);

/*
 * Finds the device whose primary context is @context, retaining primary contexts
 * that were created outside of this library. GPURUN_INVALID when there is none.
 */
int context_find_device(CUcontext context, struct device **out, struct err *e);

/* The rare part of context_enter(): cuCtxGetCurrent returned @result and @current. */
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

/* The same as a step: a failure is noted, and the following steps are made nevertheless. */
bool context_step(struct device *device, struct context_scope *scope);

void context_leave(struct context_scope *scope);

/* Releases the context of a device that is destroyed. */
void context_release(struct device *device);

int context_push(struct gpurun_device handle, struct err *e);
int context_pop(struct err *e);

/* Pops what this thread has pushed and not popped. */
void context_pop_all(void);

#endif
