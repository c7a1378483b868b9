/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Contexts of the one device: its primary one, which lives from the first
 * retain to the last release and whose handle stays the same through further
 * lives, and those that programs create. Each has its own streams, events and
 * modules; memory is shared by all, but ends with the context it was allocated in.
 * After the first fault of a kernel its context stays faulted until it ends.
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
#include "list.h"

struct task;
struct stream;

struct context {
	struct domain domain; /* its operations, its life and its fault; first member */
	void *handle;        /* what programs have; for the primary one, its address */
	unsigned retained;   /* retains not released: it lives while not 0 */
	unsigned flags;      /* stay the same through further lives */
	unsigned cache, fetch; /* hints, which are only stored: enum CUfunc_cache, a limit */
	struct heap heap;    /* of its kernels, with its limit */
	_Atomic uint64_t stack, printf_fifo; /* limits as well, in bytes */
	unsigned uses;       /* enum kernel_use: of the kernels launched so far */
	struct stream *legacy; /* owned by stream.c; NULL until it is used */
	struct list_node *open[2]; /* of stream.c, see there: blocking streams, and others */
	struct task *held;       /* reference of stream.c: new streams come after it; or NULL */
	struct context *next;  /* in the list of those that programs created */
};

/*
 * The context that a call of this thread uses: the current one, if it lives,
 * else the primary one.
 */
struct context *context_here(void);

/* Why calls in context_here() must fail (201, 709, or its fault), or 0; @current: it has to be
 * current. */
CUresult context_result(bool current);

/* Tells whether the calling thread has a context current. */
bool context_is_current(void);

/* Finds the context of @handle, which may be the primary one; 201, or 709 when it is destroyed. */
CUresult context_find(CUcontext handle, struct context **out);

/* Tells whether @handle is a context's. Acquires the lock itself. */
bool context_known(CUcontext handle);

/* The flags that @context has: the primary one always maps host memory. */
unsigned context_flags(const struct context *context);

/* The handle of context_here(). */
CUcontext context_handle(void);

/* The owner (arena_note()) of memory of @context: 0 for the primary context. */
uint64_t context_owner(const struct context *context);

/* The handle of the context in which memory of @owner was allocated. */
CUcontext context_of_owner(uint64_t owner);

/* Tells whether context_here() still is in its life @life. */
bool context_is_in(uint64_t life);

/* Tells whether some context has a fault: nothing of it can be freed any more. */
bool context_faulted(void);

/* Tells whether context_here() has a fault without a report yet. */
bool context_report_pending(void);

/* Waits until everything submitted so far to context_here() is done. Returns its fault, if any. */
CUresult context_wait(void);

/*
 * Waits until everything submitted so far to any context is done, with or without a fault,
 * except what waits for words that nothing submitted will write.
 */
CUresult context_wait_all(void);

/* Reports all that the program created in @context (NULL: in any) and has not released. */
void context_report_leaks(const struct context *context);

#endif
