/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a run has and finds out, while a plan is followed on a device. */
#ifndef CMD_RUN_H
#define CMD_RUN_H

#include "awaited.h"
#include "counted.h"
#include "device.h"
#include "findings.h"
#include "history.h"
#include "plan.h"
#include "saved.h"

struct bench_result;

/* When an event happened: counted from the first one of the run. */
struct moment {
	bool known;
	int64_t nanoseconds;
};

/* What is known of a step of the plan, and came of it. */
struct run_step {
	bool done;
	/* Of a launch: */
	struct gpurun_kernel kernel;
	struct extent extent;       /* that of the plan, or, once the kernel is found, settled */
	uint8_t *values;            /* owned; of its parameters, addresses filled in */
	void **args;                /* owned; by parameter: its value, among these */
	struct gpurun_event begin, end; /* recorded around it; no id: its time is not taken */
	uint64_t nanoseconds;       /* what it took, when has_time */
	bool has_time;
	uint64_t call_nanoseconds;  /* of the host, for the call that launched it */
	struct counted counted;     /* what it executed, when has_counted */
	bool has_counted;
	int binary_version;         /* 90: the driver took code for sm_90; 0: not known */
	/* Of an expect: */
	struct comparison comparison;
	char *reported;             /* owned; the text of a mismatch; NULL: there was none */
	char first_got[VALUE_TEXT_SIZE], first_want[VALUE_TEXT_SIZE];
	/* Of an out: */
	uint8_t *output;            /* owned; what to write at the end */
};

/* A buffer of the plan on the device. */
struct run_buffer {
	uint64_t address; /* once allocated, or found */
	bool *touched;    /* owned; by stream: used there, no await since */
};

/* A run in progress. What a failed one leaves on the device the library releases. */
struct run {
	const struct plan *plan;
	const char *stage;             /* what is being done: "launch", ...; NULL: nothing yet */
	struct device device;
	bool has_device;
	struct bound_units bound;      /* what goes to the device, unless the plan has it */
	struct gpurun_module *modules; /* owned; by unit */
	struct gpurun_stream *streams; /* owned; by stream */
	struct gpurun_event *events;   /* owned; by event */
	struct moment *moments;        /* owned; by event */
	struct run_step *steps;        /* owned; by step */
	struct run_buffer *buffers;    /* owned; by buffer */
	const struct run *memory;      /* whose buffers it uses, in the same order; NULL: its own */
	struct saved_memory saved;     /* what was there before the first step, once asked for */
	size_t *awaited;               /* owned; by stream: steps before it are done */
	size_t mismatches;
	struct err first_mismatch;     /* what was reported of it */
	bool bench_failed;             /* it is of what --bench did after the checked run */
	bool hinted_threads;           /* that a launch had one thread, as nothing says how many */
	struct findings findings;      /* of the checker */
	struct history history;
	struct err unprinted;	       /* why something could not be printed; code 0: all was */
	struct awaited awaiting;       /* what the host waits for right now */
	struct gpurun_report counts;   /* of launches; of no event: not known */
	bool launched;                 /* something was */
	bool again;                    /* its steps were carried out: the history has them */
	uint64_t begin;                /* of the host's clock */
	struct bench_result *bench;    /* owned, one piece; of --bench, once it has numbers */
	uint64_t repeated;             /* --repeat: the run that it is, from 1; else 0 */
	uint64_t load_nanoseconds;     /* that loading the modules took, compiling PTX included */
	const struct step *blamed;     /* that went wrong; NULL: not known */
};

/* Allocates what has a place for each thing of the plan. GPURUN_NO_MEMORY. */
int run_allocate(struct run *run, struct err *e);

void run_release(struct run *run);

/* What is known of step @index; nothing before run_allocate(). */
const struct run_step *run_step_at(const struct run *run, size_t index);

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

/* Reports @e as a mismatch, and counts it. */
void run_mismatch(struct run *run, const struct err *e);

/* The steps are to be carried out again; the history does not note that. Nothing is outstanding. */
void run_begin_again(struct run *run);

/* Forgets what came of the steps, but not the mismatches: steps that look at buffers do so anew. */
void run_forget_results(struct run *run);

/* Notes the step that went wrong; the first one counts. */
void run_blame(struct run *run, size_t step);

#endif
