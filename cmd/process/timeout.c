/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "timeout.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "asserts.h"
#include "cleanup.h"
#include "clock.h"
#include "exec.h"
#include "environment.h"
#include "exec_log.h"
#include "exit.h"
#include "fault.h"
#include "guard.h"
#include "message.h"
#include "options.h"
#include "output.h"
#include "report.h"
#include "signals.h"
#include "status_line.h"
#include "tracing.h"

/* By which the parent makes its child a worker: "PID:REPORTS:LOG:ORDERS:TRACE". */
#define WORKER_VARIABLE "GPURUN_WORKER"

enum {
	ENDING_MS = 3000, /* a worker that was sent a signal has ended by then */
	EXPIRY_MS = 1500, /* or one whose time is over */
	SECOND_MS = 500,  /* or one that a second signal was passed to */
};

/* Without memory for the word there is no trace. */
static void join_trace(int pid, int trace)
{
	struct err ignored;

	if (trace >= 0)
		environment_trace_to(pid, trace, &ignored);
}

bool timeout_join(int *orders)
{
	const char *text = getenv(WORKER_VARIABLE);
	int fd, pid, log, socket, trace;

	*orders = -1;
	if (!text || sscanf(text, "%d:%d:%d:%d:%d", &pid, &fd, &log, &socket, &trace) != 5)
		return false;
	/* A stale variable of some other process is no parent of ours. */
	unsetenv(WORKER_VARIABLE);
	if (getppid() != pid)
		return false;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != pid)
		_exit(EXIT_INTERNAL);
	if (socket >= 0)
		fcntl(socket, F_SETFD, FD_CLOEXEC);
	*orders = socket;
	if (fd >= 0)
		output_report_to(fd);
	if (log >= 0)
		environment_log_to(pid, log);
	join_trace(pid, trace);
	return true;
}

/* What the parent knows of its worker. */
struct watch {
	const struct options *options;
	pid_t worker;
	int signals;	   /* signalfd */
	int reports;	   /* read end of the pipe, or -1 */
	int log;	   /* exec_log_open(), or -1 */
	int trace;	   /* trace_file_open(), or -1 */
	int orders;	   /* socket to a worker that takes them, or -1 */
	struct guard guard;
	uint64_t deadline; /* CLOCK_MONOTONIC, nanoseconds; when passed: killed, or expired */
	uint64_t limit;
	uint64_t began; /* as the deadline */
	char *report; /* owned; what came through the pipe */
	size_t report_size;
	int passed_on; /* the signal that was, or 0 */
	bool group;    /* the worker leads a process group, that of --exec's program */
	bool twice;    /* there was a second signal */
	bool expired;
	bool killed;
	bool ended;
	int status; /* of waitpid(), when ended */
};

static void release_watch(struct watch *watch)
{
	free(watch->report);
	close_fd(&watch->signals);
	close_fd(&watch->reports);
	close_fd(&watch->log);
	close_fd(&watch->trace);
	close_fd(&watch->orders);
	guard_end(&watch->guard);
}

static void watched_signals(sigset_t *set)
{
	signals_wanted(set);
	sigaddset(set, SIGCHLD);
}

/* To the worker, and to what it started where it leads a group. */
static void send_signal(const struct watch *watch, int number)
{
	kill(watch->group ? -watch->worker : watch->worker, number);
}

/* What the worker has of pipe and socket. */
struct ends {
	int reports, orders; /* -1: none */
};

/* In the child: become the worker. Never returns. */
static void become_worker(const struct watch *watch, const char **argv, pid_t parent,
			  const struct ends *ends, const sigset_t *mask)
{
	char text[64];

	if (watch->group)
		setpgid(0, 0);
	snprintf(text, sizeof(text), "%d:%d:%d:%d:%d", (int)parent, ends->reports,
		 watch->log, ends->orders, watch->trace);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(EXIT_INTERNAL);
	if (ends->reports >= 0)
		fcntl(ends->reports, F_SETFD, 0);
	if (ends->orders >= 0)
		fcntl(ends->orders, F_SETFD, 0);
	setenv(WORKER_VARIABLE, text, 1);
	signals_restore();
	sigprocmask(SIG_SETMASK, mask, NULL);
	execv("/proc/self/exe", (char **)argv);
	_exit(EXIT_INTERNAL);
}

/*
 * The worker's command line: response files are spliced in, since one that is a
 * pipe cannot be read twice.
 */
static const char **worker_words(const struct options *options, const char *program)
{
	const char **argv = calloc(options->words.count + 2, sizeof(*argv));

	if (!argv)
		return NULL;
	argv[0] = program;
	if (options->words.count)
		memcpy(argv + 1, options->words.at, options->words.count * sizeof(*argv));
	return argv;
}

static int open_ends(struct watch *watch, struct ends *ends)
{
	int fds[2];

	if (report_wanted(&watch->options->output)) {
		if (pipe2(fds, O_CLOEXEC))
			return -1;
		watch->reports = fds[0];
		ends->reports = fds[1];
	}
	if (!watch->group) {
		if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds))
			return -1;
		watch->orders = fds[0];
		ends->orders = fds[1];
	}
	return 0;
}

/* Whether what the device of --exec's program reports is of use. */
static bool wants_log(const struct watch *watch)
{
	const struct options *options = watch->options;

	return options->exec && (report_wanted(&options->output) || options->expect_fault ||
				 options->check || options->given[OPTION_REQUIRE_LAUNCH] ||
				 watch->limit);
}

static int start(struct watch *watch, const char *program, struct err *e)
{
	CLEANUP(free_pointer) const char **argv = worker_words(watch->options, program);
	struct ends ends = { -1, -1 };
	pid_t self = getpid();
	sigset_t set, old;

	if (!argv)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for a worker");
	watched_signals(&set);
	sigprocmask(SIG_BLOCK, &set, &old);
	watch->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (wants_log(watch)) {
		watch->log = exec_log_open(watch->limit, e);
		if (watch->log < 0)
			return e->code;
	}
	if (tracing_wanted(&watch->options->output, watch->options->exec) &&
	    (watch->trace = trace_file_open(e)) < 0)
		return e->code;
	if (watch->signals < 0 || open_ends(watch, &ends))
		return err_set(e, GPURUN_INTERNAL, "cannot watch a worker: %s",
			       strerror(errno));
	fflush(NULL);
	watch->worker = fork();
	if (!watch->worker)
		become_worker(watch, argv, self, &ends, &old);
	/* Here too, since either of the two may be first. */
	if (watch->group && watch->worker > 0)
		setpgid(watch->worker, watch->worker);
	close_fd(&ends.reports);
	close_fd(&ends.orders);
	if (watch->worker < 0)
		return err_set(e, GPURUN_INTERNAL, "cannot start a worker: %s",
			       strerror(errno));
	return watch->group ? guard_start(watch->worker, &watch->guard, e) : 0;
}

/* Takes what is in the pipe; its end closes it. */
static void read_report(struct watch *watch)
{
	char *grown = realloc(watch->report, watch->report_size + 65536);
	ssize_t got = -1;

	if (grown) {
		watch->report = grown;
		got = read(watch->reports, grown + watch->report_size, 65536);
	}
	if (got > 0) {
		watch->report_size += (size_t)got;
	} else if (got == 0 || errno != EINTR) {
		close(watch->reports);
		watch->reports = -1;
	}
}

/* The worker may do so much longer before it is killed. */
static void set_deadline(struct watch *watch, uint64_t milliseconds)
{
	watch->deadline = clock_now() + milliseconds * 1000000;
}

static void send_order(const struct watch *watch, const struct order *order)
{
	/* Where it fails, the worker is about to end. */
	if (send(watch->orders, order, sizeof(*order), MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
		return;
}

static void kill_worker(struct watch *watch)
{
	ASSERT(watch->worker > 0 && !watch->ended); /* else the number is another process's */
	send_signal(watch, SIGKILL);
	watch->killed = true;
	watch->deadline = UINT64_MAX;
}

/* The program decides what the first signal does; the second one kills. */
static void pass_to_program(struct watch *watch, int number)
{
	if (watch->twice)
		kill_worker(watch);
	else
		send_signal(watch, number);
}

/* A worker says what is awaited, and ends. */
static void pass_to_worker(struct watch *watch, int number)
{
	send_order(watch, &(struct order){ .number = number, .now = watch->twice });
	set_deadline(watch, watch->twice ? SECOND_MS : ENDING_MS);
}

static void pass_on(struct watch *watch, int number)
{
	watch->twice = watch->passed_on;
	if (!watch->passed_on)
		watch->passed_on = number;
	if (watch->group)
		pass_to_program(watch, number);
	else
		pass_to_worker(watch, number);
}

/* A worker has a moment to say what hangs. */
static void expire(struct watch *watch)
{
	if (watch->passed_on || watch->expired || watch->group) {
		watch->expired |= !watch->passed_on || watch->group;
		if (watch->log >= 0)
			exec_log_ask(watch->log);
		kill_worker(watch);
		return;
	}
	watch->expired = true;
	send_order(watch, &(struct order){ .limit = watch->limit });
	set_deadline(watch, EXPIRY_MS);
}

static void read_signal(struct watch *watch)
{
	struct signalfd_siginfo info;

	while (read(watch->signals, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo != SIGCHLD)
			pass_on(watch, (int)info.ssi_signo);
	}
	watch->ended = waitpid(watch->worker, &watch->status, WNOHANG) == watch->worker;
}

/* Milliseconds until the deadline, rounded up. */
static int remaining(const struct watch *watch)
{
	uint64_t time = clock_now(), left = time < watch->deadline ? watch->deadline - time : 0;
	uint64_t milliseconds = (left + 999999) / 1000000;

	return milliseconds > 1000000 ? 1000000 : (int)milliseconds;
}

static void wait_for_end(struct watch *watch)
{
	while (!watch->ended) {
		struct pollfd fds[2] = { { .fd = watch->signals, .events = POLLIN },
					 { .fd = watch->reports, .events = POLLIN } };
		int ready = poll(fds, 2, remaining(watch));

		if (fds[1].revents)
			read_report(watch);
		if (fds[0].revents)
			read_signal(watch);
		if (!ready && clock_now() >= watch->deadline)
			expire(watch);
	}
	while (watch->reports >= 0)
		read_report(watch);
}

static bool is_crash(int number)
{
	return number == SIGSEGV || number == SIGABRT || number == SIGBUS ||
	       number == SIGFPE || number == SIGILL || number == SIGTRAP ||
	       number == SIGSYS;
}

/* The status of a worker that was killed. */
static int judge_killed(const struct watch *watch, struct err *e)
{
	ASSERT(watch->expired || watch->passed_on);
	if (watch->expired)
		err_set(e, GPURUN_FAULT, "timed out after %g s: killed",
			(double)watch->limit / 1e9);
	else if (watch->twice)
		err_set(e, GPURUN_FAULT, "killed by a second signal");
	else
		err_set(e, GPURUN_FAULT, "stopped by signal %d (%s): killed",
			watch->passed_on, strsignal(watch->passed_on));
	return watch->expired ? EXIT_TIMEOUT : EXIT_SIGNAL + watch->passed_on;
}

/* The exit status of the whole; @e has a text when the worker wrote none. */
static int judge(const struct watch *watch, struct err *e)
{
	int number;

	ASSERT(watch->ended);
	if (WIFEXITED(watch->status))
		return WEXITSTATUS(watch->status);
	number = WTERMSIG(watch->status);
	if (watch->killed && number == SIGKILL)
		return judge_killed(watch, e);
	if (is_crash(number) && !watch->options->exec) {
		err_set(e, GPURUN_INTERNAL, "crashed: %s", strsignal(number));
		err_hint(e, "without --timeout a debugger can be used");
		return EXIT_INTERNAL;
	}
	err_set(e, GPURUN_FAULT, "ended by signal %d (%s)", number, strsignal(number));
	return EXIT_SIGNAL + number;
}

/* The launches that --require-launch asks for; main() has read the number. */
static uint64_t required_launches(const struct options *options)
{
	if (!options->given[OPTION_REQUIRE_LAUNCH])
		return 0;
	return options->require_launch ? strtoull(options->require_launch, NULL, 10) : 1;
}

/* What --expect-fault and --require-launch make of a program that ended with 0. */
static int judge_exec(const struct options *options, const struct exec_log *log, struct err *e)
{
	const uint64_t required = required_launches(options);

	if (options->expect_fault && !log->faults) {
		err_set(e, GPURUN_FAULT, "no kernel broke down, which --expect-fault asks for");
		return EXIT_MISMATCH;
	}
	if (log->launches >= required)
		return EXIT_OK;
	err_set(e, GPURUN_LAUNCH, "%llu launch%s ran, and --require-launch asks for %llu",
		(unsigned long long)log->launches, log->launches == 1 ? "" : "es",
		(unsigned long long)required);
	if (!log->failures.count && !log->faults)
		err_hint(e, "what the program prints says why it launched fewer: a test that skips "
			 "itself, or no device that it accepts");
	return EXIT_LAUNCH;
}

/* How a checked program ends that would have ended with 0. */
static int checked_status(const struct options *options)
{
	return options->check_status >= 0 ? options->check_status : EXIT_CHECK;
}

/* A program that ended with 0 may have findings: each process answers for itself. */
static void note_findings(const struct options *options, const struct exec_log *log)
{
	const size_t count = log->findings.count;

	if (count && checked_status(options))
		message_note("%zu finding%s, and status 0: the program ignored how a child ended, "
			     "or a process ended by _exit()", count, count == 1 ? "" : "s");
}

/* Writes a report of its own, which says how the worker ended, and what its device reported. */
static int report_worker(const struct watch *watch, const struct run *run, int code,
			 struct exec_log *log, const struct trace *trace, const struct err *error,
			 struct err *e)
{
	CLEANUP(free_report) struct report *report = NULL;
	struct ending ending = { .code = code,
				 .stage = watch->expired ? "timeout" : "run",
				 .error = error->text[0] ? error : NULL,
				 .findings = &log->findings,
				 .failures = &log->failures,
				 .broken = watch->options->expect_fault ? NULL : &log->broken,
				 .counts = { log->launches, log->failed, log->kernels },
				 .nanoseconds = clock_now() - watch->began,
				 .has_counts = watch->options->exec,
				 .trace = watch->options->exec ? trace : NULL,
				 .of_program = watch->options->exec && !watch->expired };
	const bool checked = log->findings.count && code == checked_status(watch->options);
	struct err why;

	if (!ending.error && code && (code == (int)log->status || checked)) {
		exec_log_explain(log, code, &why);
		ending.stage = checked ? "check" : "run";
		ending.error = checked ? &log->findings.first : &why;
		ending.of_program = false;
	} else if (ending.error && (code == EXIT_MISMATCH || code == EXIT_LAUNCH ||
				    code == EXIT_FILE)) {
		ending.of_program = false; /* judge_exec(), end_trace() */
	}
	TRY(report_begin(run, &report, e));
	TRY(report_end(report, &ending, e));
	return report_write(report, e);
}

/* What the worker has sent. */
static struct bytes sent_by(const struct watch *watch)
{
	return (struct bytes){ (const uint8_t *)watch->report, watch->report_size };
}

/* Tells whether a worker that was killed had sent its report before. */
static bool has_reported(const struct watch *watch)
{
	return report_wanted(&watch->options->output) && watch->killed && !watch->group &&
	       report_was_sent(&watch->options->output, sent_by(watch));
}

/* Writes the worker's report where it made one. */
static int pass_report(struct watch *watch, int code, struct exec_log *log,
		       const struct trace *trace, const struct err *error, struct err *e)
{
	struct plan plan;
	struct run run = { .plan = &plan };

	if (!report_wanted(&watch->options->output))
		return 0;
	plan_begin(watch->options, &plan);
	if (watch->options->exec)
		exec_take_device(&run, sent_by(watch));
	if (!report_was_sent(&watch->options->output, sent_by(watch)) || error->text[0])
		return report_worker(watch, &run, code, log, trace, error, e);
	return report_write_sent(&watch->options->output, sent_by(watch), e);
}

/* The status: that of a file that could not be written counts where all else went well. */
static int end_trace(const struct watch *watch, int code, struct trace *trace, struct err *error)
{
	const struct output_options *output = &watch->options->output;
	struct err e;

	if (watch->trace < 0 ||
	    !tracing_end(output, watch->options->exec, watch->trace, trace, &e))
		return code;
	if (code) {
		message_error(&e);
		return code;
	}
	*error = e;
	return exit_of_status(e.code);
}

int timeout_supervise(const struct options *options, const char *program,
		      uint64_t nanoseconds)
{
	CLEANUP(release_watch)
	struct watch watch = {
		.options = options,
		.signals = -1,
		.reports = -1,
		.log = -1,
		.trace = -1,
		.orders = -1,
		.limit = nanoseconds,
		.began = clock_now(),
		.deadline = nanoseconds ? clock_now() + nanoseconds : UINT64_MAX,
		.group = options->exec,
	};
	CLEANUP(exec_log_release) struct exec_log log = { 0 };
	CLEANUP(trace_release) struct trace trace = { 0 };
	struct err error = { 0 }, late;
	int code = EXIT_INTERNAL;

	if (!start(&watch, program, &error)) {
		wait_for_end(&watch);
		code = judge(&watch, &error);
		if (WIFSIGNALED(watch.status) && !options->exec && !options->output.quiet)
			status_line_wipe();
		if (has_reported(&watch))
			error = (struct err){ 0 };
	}
	if (watch.log >= 0)
		exec_log_pass_on(watch.log, !options->expect_fault);
	if (watch.log >= 0 && exec_log_read(&log, watch.worker, watch.log, &late))
		message_error(&late);
	else if (watch.log >= 0 && !code)
		code = judge_exec(options, &log, &error);
	code = end_trace(&watch, code, &trace, &error);
	if (watch.expired)
		exec_log_add_running(&log, &error);
	if (!code)
		note_findings(options, &log);
	if (error.text[0])
		message_error(&error);
	if (pass_report(&watch, code, &log, &trace, &error, &error)) {
		message_error(&error);
		return code ? code : exit_of_status(error.code);
	}
	return code;
}
