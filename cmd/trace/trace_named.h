/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What gpurun's command line calls streams and events: the records NAME of a trace. */
#ifndef CMD_TRACE_NAMED_H
#define CMD_TRACE_NAMED_H

#include "trace.h"

struct trace_name {
	uint64_t process, handle;
	bool stream;      /* else an event */
	const char *name; /* borrowed from the file's bytes */
};

struct trace_name_list {
	struct trace_name *at; /* owned */
	size_t count;
};

void trace_name_list_release(struct trace_name_list *names);

/* Adds @record of @process with its @name. GPURUN_NO_MEMORY. */
int trace_name_list_add(struct trace_name_list *names, uint64_t process,
			const struct trace_record *record, const char *name, struct err *e);

/* Gives the calls of @trace the names of their streams and events. Sorts @names. */
void trace_name_list_apply(struct trace_name_list *names, struct trace *trace);

#endif
