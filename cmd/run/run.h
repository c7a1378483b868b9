/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a run has and finds out, while a plan is followed on a device. */
#ifndef CMD_RUN_H
#define CMD_RUN_H

#include "awaited.h"
#include "device.h"
#include "findings.h"
#include "history.h"
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
	struct bound_units bound;      /* what goes to the device, unless the plan has it */
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
	struct history history;
	struct err unprinted;	       /* why something could not be printed; code 0: all was */
	struct awaited awaiting;       /* what the host waits for right now */
	struct gpurun_report counts;   /* of launches; of no event: not known */
	bool launched;                 /* something was */
	size_t blamed;                 /* the step that went wrong, from 1; 0: not known */
};

void run_release(struct run *run);

/* What of each unit goes to the device, as the run or else the plan has it; none while neither. */
const struct bound_units *run_bound(const struct run *run);

/*
 * What the report shows of @run may be read from now on by the thread that ends the process, but
 * not between halt_lock() and halt_unlock(). NULL: there is nothing to show any more.
 */
void run_show(const struct run *run);

/* What was shown last; the caller has the lock. */
const struct run *run_shown(void);

/* Adds @entry to the history, and says it under --verbose. GPURUN_NO_MEMORY. */
int run_note(struct run *run, struct history_entry entry, struct err *e);

/* The same for the module of unit @index; @by: see struct history_entry. */
int run_note_module(struct run *run, enum history_kind kind, size_t index, const char *by,
		    struct err *e);

/* Notes the step that went wrong; the first one counts. */
void run_blame(struct run *run, size_t step);

#endif
