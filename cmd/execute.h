/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Following a plan on a device. */
#ifndef CMD_EXECUTE_H
#define CMD_EXECUTE_H

#include "awaited.h"
#include "device.h"
#include "findings.h"
#include "plan.h"

/* When an event happened: counted from the first one of the run. */
struct moment {
	bool known;
	int64_t nanoseconds;
};

/* A run in progress. What a failed one leaves on the device the library releases. */
struct run {
	struct plan *plan;
	struct device device;
	bool has_device;
	struct gpurun_module *modules; /* owned; by unit */
	struct gpurun_stream *streams; /* owned; by stream */
	struct gpurun_event *events;   /* owned; by event */
	struct moment *moments;        /* owned; by event */
	struct gpurun_event *timing;   /* owned; two per step; none: NULL */
	struct gpurun_kernel *kernels; /* owned; by step */
	size_t *awaited;               /* owned; by stream: steps before it are done */
	size_t mismatches;
	struct err first_mismatch;     /* what was reported of it */
	struct findings findings;      /* of the checker */
	struct err unprinted;	       /* why something could not be printed; code 0: all was */
	struct awaited awaiting;       /* what the host waits for right now */
	struct gpurun_report counts;   /* of launches; of no event: not known */
	bool launched;                 /* something was */
	size_t blamed;                 /* the step that went wrong, from 1; 0: not known */
};

/*
 * Opens the device, loads, uploads, follows the steps, writes the outputs and
 * gives back all but the modules; these, and all after a failure, are left to the
 * library's exit hook, whose wait is bounded.
 * A mismatch is reported on stderr, counted and no failure, as are findings of the
 * checker. Errors of device and driver come through with their status. What the
 * report shows of @run is changed between stop_lock() and stop_unlock().
 */
int execute(struct run *run, struct err *e);

void run_release(struct run *run);

/* Waits for @stream. A fault is reported with the launches that may have caused it. */
int run_await_stream(struct run *run, size_t stream, struct err *e);

/* Notes what the host waits for from now on, or, with a zero @awaited, that it no longer does. */
void run_set_awaiting(struct run *run, struct awaited awaited);

#endif
