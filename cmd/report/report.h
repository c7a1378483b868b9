/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is written of a run: its JSON object, its JUnit XML, its annotations. */
#ifndef CMD_REPORT_H
#define CMD_REPORT_H

#include "cleanup.h"
#include "run.h"
#include "json.h"
#include "output.h"
#include "trace.h"

/* Of kernels. */
struct launch_counts {
	uint64_t ran, failed, kernels;
};

/* How the process ends. */
struct ending {
	int code;              /* exit status */
	const char *stage;     /* where it went wrong; NULL: nowhere */
	const struct err *error; /* NULL: none */
	struct findings *findings; /* of the checker; NULL: none */
	const struct history *history; /* NULL: none */
	const struct findings *failures; /* launches and images that failed; NULL: none */
	const struct findings *broken; /* kernels of --exec that broke down; NULL: none */
	struct launch_counts counts; /* if has_counts */
	const struct trace *trace; /* of --exec's program; NULL: none */
	uint64_t nanoseconds;  /* that --exec's program took */
	bool has_counts;
	bool of_program;       /* the code is what --exec's program ended with */
};

/* Tells whether its error is a result that is not as it should be, which was reported as such. */
bool ending_is_mismatch(const struct ending *ending);

/* A text that is being written. */
struct document {
	FILE *to;    /* owned; NULL: none is wanted, or it was ended */
	char *text;  /* owned; whole after report_end() */
	size_t size; /* of it; it ends with a newline */
};

struct junit;

/* Those of a run that are wanted. */
struct report {
	const struct output_options *output; /* borrowed */
	struct document documents[OUTPUT_KINDS];
	struct json json;
	struct junit *junit; /* owned; NULL: not wanted */
};

/* Tells whether @output wants any. */
bool report_wanted(const struct output_options *output);

/*
 * Begins a report with all that is to be said of @run, which may have got
 * nowhere. *@out is owned by the caller (report_free). GPURUN_NO_MEMORY.
 */
int report_begin(const struct run *run, struct report **out, struct err *e);

/* Ends it with how the process ends. GPURUN_NO_MEMORY. */
int report_end(struct report *report, const struct ending *ending, struct err *e);

/* Writes what was ended to where the options say, as much of it as can be. GPURUN_IO. */
int report_write(const struct report *report, struct err *e);

/* Tells whether all reports that @output wants are whole in what a worker has sent. */
bool report_was_sent(const struct output_options *output, struct bytes sent);

/* Writes those. GPURUN_IO. */
int report_write_sent(const struct output_options *output, struct bytes sent, struct err *e);

/* Takes NULL, and one that was not ended. */
void report_free(struct report *report);
DEFINE_CLEANUP(free_report, struct report *, report_free)

#endif
