/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Times of launches on a GPU, for who asks for them (the word times of GPURUN_EXEC): an event of
 * ours before and one after each launch, read when the program has waited for something. Nothing
 * is waited for, and no call of the program fails by it; a launch whose events fail has no time,
 * and is counted in the trace's file. While a stream captures it gets no events.
 *
 * A time counts on the clock of its context, from the first event that was read (TRACE_CLOCK).
 */
#ifndef TRACE_TIMES_H
#define TRACE_TIMES_H

#include <stdatomic.h>
#include <stdbool.h>

#include "cuda_abi.h"

struct pair;

/* A launch between its two events. */
struct timing {
	CUstream stream;
	struct pair *pair; /* NULL: it has none */
	bool missed;       /* it should have */
};

/* Set by times_open() alone. */
extern atomic_bool times_wanted;

/* Reads the word of GPURUN_EXEC. */
void times_open(void);

/* After a cuInit that worked: what the driver does at the end comes after ours. */
void times_started(void);

void times_before(struct timing *timing, CUstream stream);
void times_after(struct timing *timing, CUresult result);

/* Around a launch on @stream, 0 of which means @instead; the thread's call has its number. */
static inline void times_begin(struct timing *timing, CUstream stream, CUstream instead)
{
	if (__builtin_expect(atomic_load_explicit(&times_wanted, memory_order_relaxed), false))
		times_before(timing, stream ? stream : instead);
}

static inline void times_end(struct timing *timing, CUresult result)
{
	if (__builtin_expect(timing->pair || timing->missed, false))
		times_after(timing, result);
}

/* Reads what the device is done with, after the program has waited for something; of each context
 * up to the first launch that is not done, unless @all. */
void times_read(bool all);

/* Before a context ends, with which its events do; of a device, the primary one and others. */
void times_drop(CUcontext context);
void times_drop_device(CUdevice device);

/* After the primary context of @device is retained, and before it is released, which drops it when
 * it was not retained more often. */
void times_retain(CUdevice device);
void times_release(CUdevice device);

#endif
