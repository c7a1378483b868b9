/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "counting.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cleanup.h"
#include "counts.h"
#include "exec_share.h"
#include "halt.h"
#include "message.h"
#include "trace.h"

/* What the last count= among @keys, which are between commas, makes of @otherwise. */
static bool asks(const char *keys, bool otherwise)
{
	while (keys && *keys) {
		const size_t length = strcspn(keys, ",");

		if (length > 6 && !strncmp(keys, "count=", 6))
			otherwise = length == 7 && keys[6] == '1';
		keys += length + (keys[length] == ',');
	}
	return otherwise;
}

static bool wanted(const struct run *run)
{
	const char *device = run->plan->device ? run->plan->device : "";

	return asks(!strncmp(device, "cpu:", 4) ? device + 4 : "",
		    asks(getenv("GPURUN_CPU"), false));
}

int counting_begin(const struct run *run, struct err *e)
{
	const char *words = getenv(EXEC_VARIABLE);
	CLEANUP(free_pointer) char *text = NULL;
	char path[64];
	int fd;

	if (!wanted(run) || exec_path("trace=", path, sizeof(path)))
		return 0;
	fd = trace_file_open(e); /* until the process ends */
	if (fd < 0)
		return e->code;
	if (asprintf(&text, "%s%strace=/proc/%d/fd/%d", words ? words : "",
		     words && *words ? "," : "", (int)getpid(), fd) < 0)
		text = NULL;
	if (!text || setenv(EXEC_VARIABLE, text, 1))
		return err_set(e, GPURUN_NO_MEMORY, "no memory for the environment");
	return 0;
}

static void note_counted(struct run *run, size_t index, const struct counted *counted)
{
	halt_lock();
	run->steps[index].counted = *counted;
	run->steps[index].has_counted = true;
	halt_unlock();
}

/* The last launches of this process in @trace are those of the plan, in its order. */
static void note_all(struct run *run, const struct trace *trace)
{
	const uint64_t process = (uint64_t)getpid();
	size_t call = trace->count;

	for (size_t i = run->plan->step_count; i-- > 0;) {
		if (!step_launch(&run->plan->steps[i]))
			continue;
		while (call && (trace->calls[call - 1].process != process ||
				trace->calls[call - 1].record.kind != TRACE_LAUNCH))
			call--;
		if (!call)
			return;
		if (trace->calls[--call].counted)
			note_counted(run, i, trace->calls[call].counted);
	}
}

static void say_all(const struct run *run)
{
	char text[COUNTS_TEXT];

	for (size_t i = 0; i < run->plan->step_count; i++) {
		const struct launch *launch = &run->plan->steps[i].launch;

		if (run->steps[i].has_counted)
			message_verbose("launch %zu, %s: counted %s", launch->number,
					launch->kernel->signature,
					counts_text(&run->steps[i].counted, text));
	}
}

int counting_read(struct run *run, struct err *e)
{
	CLEANUP(trace_release) struct trace trace = { 0 };
	CLEANUP(close_fd) int fd = -1;
	char path[64];

	if (!wanted(run) || !exec_path("trace=", path, sizeof(path)))
		return 0;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return err_set(e, GPURUN_IO, "cannot read what was counted: %s: %s", path,
			       strerror(errno));
	TRY(trace_read(fd, &trace, e));
	note_all(run, &trace);
	say_all(run);
	return 0;
}
