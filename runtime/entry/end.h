/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The end of the process: an exit hook that runs before the driver's own,
 * which was registered earlier. From then on releases succeed without touching
 * anything, and everything else is refused.
 */
#ifndef RUNTIME_END_H
#define RUNTIME_END_H

#include <stdbool.h>
#include <time.h>

#include "err.h"

/* How long the end may wait in total. Setting the time of day has no effect. */
struct deadline {
	struct timespec at; /* of CLOCK_MONOTONIC */
	double seconds;     /* the limit that was set */
};

bool deadline_is_past(const struct deadline *deadline);

/*
 * Prepares for fork(), one time, before the runtime's lock is acquired for the
 * first time. GPURUN_NO_MEMORY.
 */
int end_prepare(struct err *e);

/* Registers the exit hook after the handlers of @library, a driver that is up, one time.
 * Under the runtime's lock. GPURUN_NO_MEMORY. */
int end_hook(void *library, struct err *e);

/* gpurun_on_end(), before and after the gate. */
int end_add_report(void (*report)(int status, void *data), void *data, struct err *e);

#endif
