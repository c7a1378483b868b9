/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The JSON object of a run. */
#ifndef CMD_REPORT_H
#define CMD_REPORT_H

#include "cleanup.h"
#include "execute.h"
#include "json.h"

/* How the process ends. */
struct ending {
	int code;              /* exit status */
	const char *stage;     /* where it went wrong; NULL: nowhere */
	const struct err *error; /* NULL: none */
	struct findings *findings; /* of the checker; NULL: none */
	bool of_program;       /* the code is what --exec's program ended with */
};

/* A report that is being written. */
struct report {
	struct json json;
	char *text;  /* owned; whole after report_end() */
	size_t size; /* of it; it ends with a newline */
};

/*
 * Begins a report with all that is to be said of @run, which may have got
 * nowhere. *@out is owned by the caller (report_free). GPURUN_NO_MEMORY.
 */
int report_begin(const struct run *run, struct report **out, struct err *e);

/* Ends it with how the process ends. GPURUN_NO_MEMORY. */
int report_end(struct report *report, const struct ending *ending, struct err *e);

/* Takes NULL, and one that was not ended. */
void report_free(struct report *report);
DEFINE_CLEANUP(free_report, struct report *, report_free)

#endif
