/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "timeout.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cleanup.h"
#include "exec.h"
#include "exit.h"
#include "findings.h"
#include "message.h"
#include "output.h"
#include "report.h"

/* How the parent tells its child what it is: "PID:FD:FINDINGS". */
#define WORKER_VARIABLE "GPURUN_WORKER"

int timeout_parse(const char *text, uint64_t *nanoseconds, struct err *e)
{
	char *end = NULL;
	double seconds = *text >= '0' && *text <= '9' ? strtod(text, &end) : 0;
	double unit = 1;

	if (end && *end) {
		unit = *end == 's' ? 1 : *end == 'm' ? 60 : *end == 'h' ? 3600 : 0;
		end++;
	}
	seconds *= unit;
	if (end && !*end && seconds > 0 && seconds < 1e9) {
		*nanoseconds = (uint64_t)ceil(seconds * 1e9);
		return 0;
	}
	err_set(e, GPURUN_INVALID, "--timeout %s: not a time", text);
	return err_hint(e, "a time is a number of seconds, or as in 90s, 5m, 1.5h");
}

void timeout_join(pid_t *parent)
{
	const char *text = getenv(WORKER_VARIABLE);
	int fd, pid, findings;

	*parent = 0;
	if (!text || sscanf(text, "%d:%d:%d", &pid, &fd, &findings) != 3)
		return;
	/* A stale variable of some other process is no parent of ours. */
	unsetenv(WORKER_VARIABLE);
	if (getppid() != pid)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != pid)
		_exit(EXIT_INTERNAL);
	*parent = pid;
	if (fd >= 0)
		output_report_to(fd);
	if (findings >= 0)
		exec_log_findings(pid, findings);
}

/* What the parent knows of its worker. */
struct watch {
	const struct options *options;
	pid_t worker;
	int signals;	   /* signalfd */
	int reports;	   /* read end of the pipe, or -1 */
	int findings;	   /* a file that the checker of --exec's program adds to, or -1 */
	uint64_t deadline; /* CLOCK_MONOTONIC, nanoseconds */
	uint64_t limit;
	char *report; /* owned; what came through the pipe */
	size_t report_size;
	int passed_on; /* the signal that was, or 0 */
	bool group;    /* the worker leads a process group, that of --exec's program */
	bool expired;
	bool ended;
	int status; /* of waitpid(), when ended */
};

static void release_watch(struct watch *watch)
{
	free(watch->report);
	close_fd(&watch->signals);
	close_fd(&watch->reports);
	close_fd(&watch->findings);
}

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static void watched_signals(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGCHLD);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGHUP);
}

/* To the worker, and to what it started where it leads a group. */
static void send_signal(const struct watch *watch, int number)
{
	kill(watch->group ? -watch->worker : watch->worker, number);
}

/* In the child: become the worker. Never returns. */
static void become_worker(const struct watch *watch, const char **argv, pid_t parent, int fd,
			  const sigset_t *mask)
{
	char text[48];

	if (watch->group)
		setpgid(0, 0);

	snprintf(text, sizeof(text), "%d:%d:%d", (int)parent, fd, watch->findings);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(EXIT_INTERNAL);
	if (fd >= 0)
		fcntl(fd, F_SETFD, 0);
	setenv(WORKER_VARIABLE, text, 1);
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

static int start(struct watch *watch, const char *program, struct err *e)
{
	CLEANUP(free_pointer) const char **argv = worker_words(watch->options, program);
	int pipe_fds[2] = { -1, -1 };
	pid_t self = getpid();
	sigset_t set, old;

	if (!argv)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for a worker");
	watched_signals(&set);
	sigprocmask(SIG_BLOCK, &set, &old);
	watch->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (watch->options->json && watch->options->exec)
		watch->findings = memfd_create("findings", MFD_CLOEXEC);
	if (watch->signals < 0 || (watch->options->json && pipe2(pipe_fds, O_CLOEXEC)))
		return err_set(e, GPURUN_INTERNAL, "cannot watch a worker: %s",
			       strerror(errno));
	watch->reports = pipe_fds[0];
	fflush(NULL);
	watch->worker = fork();
	if (!watch->worker)
		become_worker(watch, argv, self, pipe_fds[1], &old);
	/* Here too, since nobody knows which of the two comes first. */
	if (watch->group && watch->worker > 0)
		setpgid(watch->worker, watch->worker);
	close_fd(&pipe_fds[1]);
	if (watch->worker < 0)
		return err_set(e, GPURUN_INTERNAL, "cannot start a worker: %s",
			       strerror(errno));
	return 0;
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

/* The first signal is passed on; a second one kills. */
static void pass_on(struct watch *watch, int number)
{
	send_signal(watch, watch->passed_on ? SIGKILL : number);
	if (!watch->passed_on)
		watch->passed_on = number;
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
	uint64_t time = now(), left = time < watch->deadline ? watch->deadline - time : 0;
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
		if (!ready && now() >= watch->deadline) {
			watch->expired = true;
			send_signal(watch, SIGKILL);
			watch->ended = waitpid(watch->worker, &watch->status, 0) ==
				       watch->worker;
		}
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

/* The exit status of the whole; @e has a text when the worker could not tell. */
static int judge(const struct watch *watch, struct err *e)
{
	int number;

	if (watch->expired) {
		err_set(e, GPURUN_FAULT, "timed out after %g s: killed",
			(double)watch->limit / 1e9);
		return EXIT_TIMEOUT;
	}
	if (WIFEXITED(watch->status))
		return WEXITSTATUS(watch->status);
	number = WTERMSIG(watch->status);
	if (watch->passed_on && number == SIGKILL) {
		err_set(e, GPURUN_FAULT, "killed by a second signal");
		return EXIT_SIGNAL + watch->passed_on;
	}
	if (is_crash(number) && !watch->options->exec) {
		err_set(e, GPURUN_INTERNAL, "crashed: %s", strsignal(number));
		err_hint(e, "without --timeout a debugger can be used");
		return EXIT_INTERNAL;
	}
	err_set(e, GPURUN_FAULT, "ended by signal %d (%s)", number, strsignal(number));
	return EXIT_SIGNAL + number;
}

/* How a checked program ends that would have ended with 0; main() has read the number. */
static int checked_status(const struct options *options)
{
	return options->error_exitcode ? atoi(options->error_exitcode) : EXIT_CHECK;
}

/* Writes a report of its own, which says how the worker ended, and what it found. */
static int report_worker(const struct watch *watch, const struct run *run, int code,
			 const struct err *error, struct err *e)
{
	CLEANUP(findings_release) struct findings findings = { 0 };
	CLEANUP(free_report) struct report *report = NULL;
	struct ending ending = { .code = code,
				 .stage = watch->expired ? "timeout" : "run",
				 .error = error->text[0] ? error : NULL,
				 .findings = &findings,
				 .of_program = watch->options->exec && !watch->expired };

	if (watch->findings >= 0)
		TRY(findings_read(&findings, watch->findings, e));
	if (findings.count && !ending.error && code == checked_status(watch->options)) {
		ending.stage = "check";
		ending.error = &findings.first;
		ending.of_program = false;
	}
	TRY(report_begin(run, &report, e));
	TRY(report_end(report, &ending, e));
	return output_report(watch->options->json_file, report->text, report->size,
			     e);
}

/* Writes the worker's report where it made one. */
static int pass_report(struct watch *watch, int code, const struct err *error,
		       struct err *e)
{
	struct plan plan = { .options = watch->options };
	struct run run = { .plan = &plan };

	if (!watch->options->json)
		return 0;
	if (watch->options->exec)
		exec_take_device(&run, watch->report, &watch->report_size);
	if (!watch->report_size || error->text[0])
		return report_worker(watch, &run, code, error, e);
	return output_report(watch->options->json_file, watch->report, watch->report_size,
			     e);
}

int timeout_supervise(const struct options *options, const char *program,
		      uint64_t nanoseconds)
{
	CLEANUP(release_watch)
	struct watch watch = {
		.options = options,
		.signals = -1,
		.reports = -1,
		.findings = -1,
		.limit = nanoseconds,
		.deadline = nanoseconds ? now() + nanoseconds : UINT64_MAX,
		.group = options->exec,
	};
	struct err error = { 0 };
	int code = EXIT_INTERNAL;

	if (!start(&watch, program, &error)) {
		wait_for_end(&watch);
		code = judge(&watch, &error);
	}
	if (error.text[0])
		message_error(&error);
	if (pass_report(&watch, code, &error, &error)) {
		message_error(&error);
		return code ? code : exit_of_status(error.code);
	}
	return code;
}
