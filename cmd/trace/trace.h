/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What a run called of the driver: the file of lib/base/trace_file.h, read. Calls are in the order
 * in which they began, of all processes and threads together.
 */
#ifndef CMD_TRACE_H
#define CMD_TRACE_H

#include "bytes.h"
#include "cleanup.h"
#include "counted.h"
#include "err.h"
#include "trace_file.h"

/* A kernel as a process named it. */
struct traced_function {
	uint64_t process, number;
	char *name;      /* owned; mangled; "": not known */
	char *signature; /* owned; as people write it */
	struct trace_param *params; /* owned */
	size_t count;
};

/* What a launch executed. */
struct traced_counted {
	uint64_t process, id; /* of the call */
	struct counted counted;
};

struct traced_call {
	struct trace_record record;
	uint64_t process;
	const char *name;     /* of the call: "cuLaunchKernel" */
	const char *error;    /* what it failed with, by name; "": it worked */
	const struct counted *counted; /* of a launch: what it executed; NULL: not counted */
	struct bytes args;    /* of a launch: its parameters; none: not known */
	const struct traced_function *function; /* of a launch; NULL: not known */
	uint64_t ran_begin, ran_end; /* ns: its work on the device; 0: not known, or none */
	bool unfinished;      /* the work had not ended: it goes to the end of the trace */
	size_t track;         /* which stream, of all processes together, from 0 */
	unsigned stream;      /* number in its process, in the order of their first calls, from 1;
			       * 0: the default one, or none */
	const char *stream_name, *event_name; /* as gpurun's command line calls them; NULL: it
					       * does not */
};

struct trace {
	uint8_t *bytes;      /* owned: the file */
	struct traced_function *functions; /* owned, by process and number */
	size_t function_count;
	struct traced_counted *counts; /* owned, by process and call */
	size_t counts_count;
	struct traced_call *calls; /* owned */
	size_t count, tracks;
	uint64_t dropped;    /* records that had no room */
	uint64_t untimed;    /* launches whose times were asked for and could not be had */
};

/* Makes an empty file, which is the caller's; -1, with @e: GPURUN_INTERNAL. */
int trace_file_open(struct err *e);

/* Reads what processes have written to @fd so far. Of bytes that are no record the rest of their
 * chunk is left out. @trace is released by the caller. GPURUN_NO_MEMORY, GPURUN_IO. */
int trace_read(int fd, struct trace *trace, struct err *e);

void trace_release(struct trace *trace);

/* As qsort() wants it: negative, 0 or positive. */
static inline int order_of(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* The kind as lists and reports call it, and its category. Static. */
const char *trace_kind_name(unsigned kind);
const char *trace_category(unsigned kind);

#endif
