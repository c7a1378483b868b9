/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tracing.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "environment.h"
#include "file.h"
#include "host_program.h"
#include "message.h"
#include "output_options.h"
#include "trace_chrome.h"
#include "trace_text.h"
#include "trace_types.h"

/* Where this process has no parent that reads the file. */
static const struct output_options *own_output;
static int own = -1;

bool tracing_wanted(const struct output_options *output, bool exec)
{
	return output->trace || (exec && (output->verbose || output->json.wanted));
}

int tracing_check(const struct output_options *output, struct err *e)
{
	if (!output->trace)
		return 0;
	if (strcmp(output->trace, "-") != 0)
		return file_check_target(output->trace, true, e);
	err_set(e, GPURUN_INVALID, "--trace -: expected a file");
	return err_hint(e, "a file of that name is ./-, the standard output /dev/stdout");
}

int tracing_begin(const struct output_options *output, struct err *e)
{
	own_output = output;
	own = trace_file_open(e);
	if (own < 0)
		return e->code;
	return environment_trace_to(getpid(), own, e);
}

static void note_dropped(const struct trace *trace)
{
	if (trace->dropped)
		message_note("the trace is full: %llu calls are not in it",
			     (unsigned long long)trace->dropped);
}

/* Of the program itself: what it loads from elsewhere is not known. */
static void read_types(const char *program, struct trace *trace)
{
	char path[PATH_MAX];

	if (strchr(program, '/'))
		trace_types_read(trace, program);
	else if (host_program_find(program, path))
		trace_types_read(trace, path);
}

int tracing_end(const struct output_options *output, const char *exec, int fd, struct trace *trace,
		struct err *e)
{
	TRY(trace_read(fd, trace, e));
	note_dropped(trace);
	if (exec) {
		read_types(exec, trace);
		trace_say(trace);
	}
	return output->trace ? trace_write_chrome(trace, output->trace, e) : 0;
}

int tracing_end_own(struct err *e)
{
	CLEANUP(trace_release) struct trace trace = { 0 };
	CLEANUP(close_fd) int fd = own;

	own = -1;
	return fd < 0 ? 0 : tracing_end(own_output, NULL, fd, &trace, e);
}
