/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "finish.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "asserts.h"
#include "cleanup.h"
#include "exit.h"
#include "file.h"
#include "halt.h"
#include "library.h"
#include "lock.h"
#include "message.h"
#include "output.h"
#include "tracing.h"

static struct {
	struct report *report; /* owned; NULL: none is wanted */
	struct ending ending;
	struct err error;    /* what ending.error points to, if to anything */
	struct findings findings;
	struct history history;
	struct err teardown; /* what failed in the exit hook */
} last;

/*
 * Who writes the report: the exit handler, or the thread that ends the process before, which
 * keeps it for ever. Recursive, since that thread may run the exit handlers itself.
 */
static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

/* Another thread may write the report meanwhile. */
static bool note_unload(void)
{
	struct err ignored;
	const struct history_entry *module;
	struct history_entry entry;
	bool noted = false;

	lock_acquire(&lock, LOCK_FINISH);
	if ((module = history_loaded(&last.history))) {
		entry = *module;
		entry.kind = HISTORY_UNLOAD;
		entry.by = "the exit hook";
		noted = !history_add(&last.history, &entry, &ignored);
	}
	lock_release(&lock);
	if (noted)
		history_say(&last.history);
	return noted;
}

/* Called by the exit hook; the library still knows what failed. */
static void note_teardown(int status, void *data)
{
	(void)data;
	if (halt_is_exempt())
		return;
	library_status(status, &last.teardown);
	if (*gpurun_error_log())
		message_log(gpurun_error_log());
	if (status)
		message_error(&last.teardown);
	while (!status && note_unload())
		;
}

static int write_report(struct err *e)
{
	ASSERT(lock_is_held(LOCK_FINISH) && last.report && !output_reported());
	TRY(report_end(last.report, &last.ending, e));
	return report_write(last.report, e);
}

/* The CPU device found something when the process ended, and made @status of its 0. */
static void note_late_findings(int status)
{
	ASSERT(status && !last.ending.code);
	err_set(&last.error, GPURUN_FAULT,
		"findings at the end of the process: standard error has them");
	last.ending.code = status;
	last.ending.stage = "check";
	last.ending.error = &last.error;
}

/* The status: a trace that cannot be written is a failure of a run that went well. */
static int end_trace(int code)
{
	struct err e;

	if (!tracing_end_own(&e))
		return code;
	message_error(&e);
	if (code)
		return code;
	last.error = e;
	last.ending.error = &last.error;
	last.ending.stage = "trace";
	last.ending.code = exit_of_status(e.code);
	return last.ending.code;
}

static bool checked; /* the run had --check */

void finish_checked(void)
{
	checked = true;
}

static void finish(int status, void *data)
{
	int code = status, failed = 0;
	struct err e = { 0 };

	(void)data;
	if (last.teardown.code && !code) {
		/* Nothing in the command line can be wrong any more. */
		code = last.teardown.code == GPURUN_FAULT ? EXIT_FAULT : EXIT_CUDA;
		last.ending.code = code;
		last.ending.stage = "end";
		last.ending.error = &last.teardown;
	}
	if (last.report && status && !last.ending.code)
		note_late_findings(status);
	code = end_trace(code);
	lock_acquire(&lock, LOCK_FINISH);
	if (last.report && !output_reported())
		failed = write_report(&e);
	report_free(STEAL(last.report));
	lock_release(&lock);
	halt_point();
	if (failed) {
		message_error(&e);
		code = code ? code : exit_of_status(e.code);
	}
	if (checked && !code)
		message_verbose("check: no findings");
	findings_release(&last.findings);
	history_release(&last.history);
	/* The handlers that are left run once, with the new status. */
	if (code != status)
		exit(code);
}

int finish_prepare(struct err *e)
{
	if (on_exit(finish, NULL))
		return err_set(e, GPURUN_NO_MEMORY, "no memory for an exit handler");
	return library_status(gpurun_on_end(note_teardown, NULL), e);
}

int finish_at_once(const struct ending *ending, struct err *e)
{
	/* In the order of the exit handler, which locks files when it writes the report. */
	lock_acquire(&lock, LOCK_FINISH);
	file_abandon();
	if (tracing_end_own(e))
		message_error(e);
	if (!last.report || output_reported())
		return 0;
	last.ending.code = ending->code;
	last.ending.stage = ending->stage;
	last.ending.error = ending->error;
	return write_report(e);
}

void finish_modules(struct history *history)
{
	ASSERT(!last.history.count);
	last.history = *history;
	*history = (struct history){ 0 };
}

void finish_report(struct report **report, const struct ending *ending)
{
	ASSERT(!last.report && (!ending->error || ending->stage));
	last.ending = *ending;
	if (ending->error) {
		last.error = *ending->error;
		last.ending.error = &last.error;
	}
	if (ending->findings) {
		last.findings = *ending->findings;
		*ending->findings = (struct findings){ 0 };
		last.ending.findings = &last.findings;
	}
	last.ending.history = &last.history;
	last.report = STEAL(*report);
}
