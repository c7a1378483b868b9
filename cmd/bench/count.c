/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "count.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bytes.h"
#include "cleanup.h"
#include "count_line.h"
#include "exit.h"
#include "trace.h"

/* What a child whose time is over is given to end by itself. */
enum { GRACE_S = 10 };

/* The run that counts. */
struct counter {
	struct count_line line; /* owned */
	pid_t parent, child;
	int trace;              /* what its device writes */
	int messages;           /* what it says on stderr */
	int alive, end;         /* a pipe that is closed when all its processes have ended */
	int status;             /* as waitpid() has it */
	bool late;              /* it was killed */
};

static void release_counter(struct counter *counter)
{
	count_line_release(&counter->line);
	close_fd(&counter->trace);
	close_fd(&counter->messages);
	close_fd(&counter->alive);
	close_fd(&counter->end);
}

static int prepare_counter(struct counter *counter, const struct options *options, struct err *e)
{
	char path[64];
	int ends[2];

	counter->trace = trace_file_open(e);
	if (counter->trace < 0)
		return e->code;
	counter->messages = memfd_create("gpurun-count", MFD_CLOEXEC);
	if (counter->messages < 0 || pipe2(ends, O_CLOEXEC))
		return err_set(e, GPURUN_INTERNAL, "cannot start a run that counts: %s",
			       strerror(errno));
	counter->alive = ends[0];
	counter->end = ends[1];
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)counter->parent, counter->trace);
	return count_line_make(options, path, &counter->line, e);
}

/* In the child, of whose threads this is the only one: no memory, no locks. Never returns. */
static void become_run(const struct counter *counter)
{
	const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
	sigset_t none;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != counter->parent)
		_exit(EXIT_INTERNAL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (nothing < 0 || dup2(nothing, 0) < 0 || dup2(nothing, 1) < 0 ||
	    dup2(counter->messages, 2) < 0 || fcntl(counter->end, F_SETFD, 0))
		_exit(EXIT_INTERNAL);
	execve("/proc/self/exe", counter->line.words, counter->line.variables);
	_exit(EXIT_INTERNAL);
}

/* Waits for the end of the child, whose own limit is earlier. */
static void await_child(struct counter *counter)
{
	struct pollfd alive = { .fd = counter->alive };
	const double most = 1e6, seconds = counter->line.seconds + GRACE_S;
	int ready;

	do
		ready = poll(&alive, 1, (int)((seconds < most ? seconds : most) * 1000));
	while (ready < 0 && errno == EINTR);
	counter->late = !ready;
	if (counter->late)
		kill(counter->child, SIGKILL);
	while (waitpid(counter->child, &counter->status, 0) < 0 && errno == EINTR)
		;
}

static int run_child(struct counter *counter, struct err *e)
{
	fflush(NULL);
	counter->child = fork();
	if (!counter->child)
		become_run(counter);
	close_fd(&counter->end);
	if (counter->child < 0)
		return err_set(e, GPURUN_INTERNAL, "cannot start a run that counts: %s",
			       strerror(errno));
	await_child(counter);
	return 0;
}

/* ---- what came of it ---- */

/* Copies what follows @label on its line of @text to @out; "" when there is none. */
static void find_line(const char *text, const char *label, char *out, size_t size)
{
	const char *line = strstr(text, label);

	snprintf(out, size, "%.*s", line ? (int)strcspn(line + strlen(label), "\n") : 0,
		 line ? line + strlen(label) : "");
}

/* Statuses and hints by exit status. */
static const struct {
	int code;
	enum gpurun_status status;
	const char *hint; /* NULL: that of the run */
} failures[] = {
	{ EXIT_USAGE, GPURUN_INVALID, NULL },
	{ EXIT_FILE, GPURUN_IO, NULL },
	{ EXIT_IMAGE, GPURUN_NO_IMAGE, "the CPU device runs PTX alone: " BY_HAND },
	{ EXIT_KERNEL, GPURUN_NOT_FOUND, NULL },
	{ EXIT_CUDA, GPURUN_UNSUPPORTED, BY_HAND },
	{ EXIT_LAUNCH, GPURUN_LAUNCH, BY_HAND },
	{ EXIT_FAULT, GPURUN_FAULT, "gpurun -d cpu --check all says more; " BY_HAND },
	{ EXIT_TIMEOUT, GPURUN_FAULT, "-t gives it more time; " BY_HAND },
};

static int explain_failure(const struct counter *counter, int code, struct err *e)
{
	char messages[4096], text[ERR_TEXT_SIZE], hint[ERR_TEXT_SIZE];
	ssize_t size = pread(counter->messages, messages, sizeof(messages) - 1, 0);
	enum gpurun_status status = GPURUN_INTERNAL;

	messages[size > 0 ? size : 0] = '\0';
	find_line(messages, "error: ", text, sizeof(text));
	find_line(messages, "hint: ", hint, sizeof(hint));
	if (!*hint)
		snprintf(hint, sizeof(hint), BY_HAND);
	for (size_t i = 0; i < sizeof(failures) / sizeof(failures[0]); i++) {
		if (failures[i].code != code)
			continue;
		status = failures[i].status;
		if (failures[i].hint)
			snprintf(hint, sizeof(hint), "%s", failures[i].hint);
	}
	if (!*text)
		snprintf(text, sizeof(text), "it ended with status %d", code);
	err_set(e, status, "counting on the CPU device: %s", text);
	return err_hint(e, "%s", hint);
}

/* Results that differ from what --expect wants are those of the device that is measured. */
static int judge_child(const struct counter *counter, struct err *e)
{
	int code;

	if (counter->late) {
		err_set(e, GPURUN_FAULT, "counting on the CPU device: timed out after %g s: killed",
			counter->line.seconds + GRACE_S);
		return err_hint(e, "-t gives it more time; " BY_HAND);
	}
	if (WIFSIGNALED(counter->status)) {
		err_set(e, GPURUN_FAULT, "counting on the CPU device: ended by signal %d (%s)",
			WTERMSIG(counter->status), strsignal(WTERMSIG(counter->status)));
		return err_hint(e, BY_HAND);
	}
	code = WEXITSTATUS(counter->status);
	return code && code != EXIT_MISMATCH ? explain_failure(counter, code, e) : 0;
}

static int collect_counts(const struct counter *counter, struct counted *by_launch, size_t count,
		   struct err *e)
{
	CLEANUP(trace_release) struct trace trace = { 0 };
	size_t launch = 0;

	TRY(trace_read(counter->trace, &trace, e));
	for (size_t i = 0; i < trace.count && launch < count; i++) {
		const struct traced_call *call = &trace.calls[i];

		if (call->record.kind == TRACE_LAUNCH && call->counted)
			by_launch[launch++] = *call->counted;
	}
	if (launch == count)
		return 0;
	err_set(e, GPURUN_INTERNAL, "counting on the CPU device: %zu of %zu launches were counted",
		launch, count);
	return err_hint(e, BY_HAND);
}

int count_launches(const struct options *options, struct counted *by_launch, size_t count,
		   struct err *e)
{
	CLEANUP(release_counter) struct counter counter = { .parent = getpid(), .trace = -1,
							    .messages = -1, .alive = -1,
							    .end = -1 };

	TRY(prepare_counter(&counter, options, e));
	TRY(run_child(&counter, e));
	TRY(judge_child(&counter, e));
	return collect_counts(&counter, by_launch, count, e);
}
