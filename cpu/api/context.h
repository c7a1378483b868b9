/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Contexts of the one device: its primary one, which lives from the first
 * retain to the last release and whose handle stays the same through further
 * lives, and those that programs create. Each has its own streams, events and
 * modules; memory is everybody's, but ends with the context it was made in. The
 * first fault of a kernel sticks to its context until that ends.
 *
 * The caller of everything here holds the driver's lock.
 */
#ifndef CPU_CONTEXT_H
#define CPU_CONTEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "cuda_abi.h"
#include "domain.h"
#include "heap.h"

struct task;
struct stream;

struct context {
	struct domain domain; /* its operations, its life and the fault that stuck; comes first */
	void *handle;        /* what programs hold; of the primary one, its address */
	unsigned retained;   /* retains not released: it lives while there are any */
	unsigned flags;      /* stay the same through further lives */
	struct heap heap;    /* of its kernels, with its limit */
	_Atomic uint64_t stack, printf_fifo; /* limits as well, in bytes */
	unsigned uses;       /* enum kernel_use: of the kernels launched so far */
	struct stream *legacy; /* owned by stream.c; NULL until it is used */
	struct task *held;       /* referred to by stream.c: what new streams come after, or NULL */
	struct context *next;  /* of those that programs created */
};

/*
 * The context that a call of this thread works in: the current one, if it
 * lives, else the primary one.
 */
struct context *context_here(void);

/* Why no call in context_here() may go on (201, 709, or the fault that stuck), or 0; @current:
 * it has to be current. */
CUresult context_result(bool current);

/* Tells whether the calling thread has a context current. */
bool context_is_current(void);

/* Finds the context behind @handle, the primary one among them; 201, or 709 when it is gone. */
CUresult context_find(CUcontext handle, struct context **out);

/* Tells whether @handle is one of a context. Takes the lock itself. */
bool context_known(CUcontext handle);

/* What context_here() is for programs. */
CUcontext context_handle(void);

/* What memory of @context bears as its owner: 0 for the primary context. */
uint64_t context_owner(const struct context *context);

/* The handle of the context that memory of @owner was made in. */
CUcontext context_of_owner(uint64_t owner);

/* Tells whether context_here() still is in its life @life. */
bool context_is_in(uint64_t life);

/* Tells whether a fault stuck to some context: nothing of it can be freed any more. */
bool context_faulted(void);

/* Tells whether a fault stuck to context_here() whose report has not come yet. */
bool context_report_pending(void);

/* Waits until everything submitted so far to context_here() is done. Returns the fault that
 * stuck to it, if any. */
CUresult context_wait(void);

/*
 * Waits until everything submitted so far to any context is done, with or without a fault, but
 * for what waits for words that nothing submitted will write.
 */
CUresult context_wait_all(void);

/* Tells of all that the program made in @context, of NULL in any, and has not given back. */
void context_report_leaks(const struct context *context);

#endif
