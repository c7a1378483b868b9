/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "outcome.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "asserts.h"
#include "cleanup.h"
#include "config.h"
#include "demangle.h"
#include "driver.h"
#include "exec_share.h"
#include "failed.h"
#include "findings.h"
#include "lock.h"
#include "output.h"
#include "words.h"

enum { EXIT_IMAGE = 112, EXIT_LAUNCH = 116, EXIT_FAULT = 117 };

/* Of one kind so many are printed; the end says how many more there were. */
enum { MOST_LINES = 8 };

/* What may happen many times. */
struct reason {
	_Atomic unsigned count; /* of all */
	void *first;		/* owned: the record of the first one */
};

static struct {
	pthread_mutex_t lock;
	bool begun, replaces, quiet, expects_fault;
	pid_t process;
	char log[256];               /* a path; "": none */
	struct exec_counts *counts;  /* of this process and others, or own */
	struct exec_counts own;      /* of this process alone */
	struct reason fault, launch, image;
	void *later[MOST_LINES];     /* owned: records of images that nothing has failed by yet */
	unsigned later_count;
	_Atomic int unlooked;        /* the error of a fault that the program did not ask for */
	_Atomic unsigned unread;     /* failed launches, */
	_Atomic unsigned unread_without_code; /* and those of images that were refused */
} outcome = { .lock = PTHREAD_MUTEX_INITIALIZER, .counts = &outcome.own };

/* ---- what gpurun --exec shares ------------------------------------------------------- */

static void map_counts(const char *path)
{
	CLEANUP(close_fd) int fd = open(path, O_RDWR | O_CLOEXEC);
	void *counts = fd < 0 ? MAP_FAILED : mmap(NULL, sizeof(*outcome.counts),
						  PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (counts == MAP_FAILED)
		return;
	snprintf(outcome.log, sizeof(outcome.log), "%s", path);
	outcome.counts = counts;
}

static void read_variable(void)
{
	const char *words = secure_getenv(EXEC_VARIABLE);
	char path[sizeof(outcome.log)];

	if (!words)
		return;
	outcome.replaces = words_have(words, "status");
	outcome.quiet = words_have(words, "quiet");
	outcome.expects_fault = words_have(words, "expect-fault");
	if (exec_path("log=", path, sizeof(path)))
		map_counts(path);
}

struct exec_counts *outcome_shared(void)
{
	return outcome.counts == &outcome.own ? NULL : outcome.counts;
}

void outcome_log(const struct gpurun_report *report)
{
	char record[REPORT_MOST];
	size_t size;
	int fd;

	if (!*outcome.log)
		return;
	size = report_pack(report, record, sizeof(record));
	ASSERT(size && size <= sizeof(record));
	fd = open(outcome.log, O_WRONLY | O_APPEND | O_CLOEXEC);
	/* One write: other processes append as well. */
	if (fd >= 0 && write(fd, record, size) < 0)
		outcome.log[0] = '\0';
	if (fd >= 0)
		close(fd);
}

/* ---- what happens ---------------------------------------------------------------------- */

#define LOCKED LOCKED_BY(&outcome.lock, LOCK_OUTCOME)

/* Counts @report, and tells whether it is to be printed. */
static bool note(struct reason *cause, const struct gpurun_report *report)
{
	LOCKED;

	outcome_log(report);
	if (!cause->first)
		cause->first = report_copy(report);
	return atomic_fetch_add(&cause->count, 1) < MOST_LINES;
}

static void print(const struct gpurun_report *report)
{
	char text[REPORT_MOST];

	report_format(report, text, sizeof(text));
	output_report("", text);
	if (*report->hint)
		output_note("hint: %s", report->hint);
}

/* Counts in the member at @offset. */
static void count_in_member(size_t offset)
{
	ASSERT(offset < sizeof(struct exec_counts) && offset % sizeof(uint64_t) == 0);
	atomic_fetch_add((_Atomic uint64_t *)((char *)outcome.counts + offset), 1);
	if (outcome.counts != &outcome.own)
		atomic_fetch_add((_Atomic uint64_t *)((char *)&outcome.own + offset), 1);
}

void outcome_fault(const struct gpurun_report *report)
{
	note(&outcome.fault, report);
	count_in_member(offsetof(struct exec_counts, faults));
	count_in_member(offsetof(struct exec_counts, failed));
	atomic_store(&outcome.unlooked, report->error);
}

void outcome_looked(int error)
{
	atomic_compare_exchange_strong(&outcome.unlooked, &error, 0);
}

void outcome_recovered(void)
{
	atomic_store(&outcome.unlooked, 0);
}

void outcome_launch(const struct gpurun_report *report, bool without_code)
{
	if (without_code) {
		atomic_fetch_add(&outcome.unread_without_code, 1);
		return;
	}
	if (note(&outcome.launch, report))
		print(report);
	atomic_fetch_add(&outcome.unread, 1);
}

void outcome_read(unsigned refused, unsigned without_code)
{
	ASSERT(atomic_load(&outcome.unread) >= refused);
	ASSERT(atomic_load(&outcome.unread_without_code) >= without_code);
	atomic_fetch_sub(&outcome.unread, refused);
	atomic_fetch_sub(&outcome.unread_without_code, without_code);
}

void outcome_image(const struct gpurun_report *report, bool shown)
{
	/* Under --exec each cause has a line of ours, whatever the library prints. */
	if (note(&outcome.image, report) && (shown || outcome.replaces))
		print(report);
}

void outcome_image_later(const struct gpurun_report *report)
{
	LOCKED;

	if (outcome.later_count < MOST_LINES)
		outcome.later[outcome.later_count++] = report_copy(report);
}

/* A record to report, which the caller frees; NULL: there is none. */
static void *pop_later(void)
{
	LOCKED;

	return outcome.later_count ? outcome.later[--outcome.later_count] : NULL;
}

void outcome_image_failed(void)
{
	for (void *record; (record = pop_later()) != NULL; free(record)) {
		struct gpurun_report report;

		report_read(record, &report);
		outcome_image(&report, true);
	}
}

bool outcome_has_image(void)
{
	return atomic_load(&outcome.image.count);
}

void outcome_ran(bool first)
{
	count_in_member(offsetof(struct exec_counts, launches));
	if (first)
		count_in_member(offsetof(struct exec_counts, kernels));
}

void outcome_refused(void)
{
	count_in_member(offsetof(struct exec_counts, failed));
}

struct gpurun_report outcome_counts(void)
{
	struct gpurun_report report = report_none();

	report.event = GPURUN_REPORT_LAUNCHES;
	report.kind = report_kind_name(KIND_LAUNCHES);
	report.launches = atomic_load(&outcome.own.launches);
	report.failed = atomic_load(&outcome.own.failed);
	report.kernels = atomic_load(&outcome.own.kernels);
	return report;
}

/* ---- the end --------------------------------------------------------------------------- */

static void say_more(const struct reason *cause, const char *what)
{
	const unsigned count = atomic_load(&cause->count);

	if (count > MOST_LINES)
		output_note("and %u more %s", count - MOST_LINES, what);
}

/* "14 launches of 3 kernels ran, 1 failed; 0 findings"; how many there are, another line has. */
static void close_report(void)
{
	const struct gpurun_report counts = outcome_counts();
	const bool clean = config.check && !findings_count();
	char failed[40] = "";

	if (counts.failed)
		snprintf(failed, sizeof(failed), ", %llu failed",
			 (unsigned long long)counts.failed);
	output_note("%llu launch%s of %llu kernel%s ran%s%s",
		    (unsigned long long)counts.launches, counts.launches == 1 ? "" : "es",
		    (unsigned long long)counts.kernels, counts.kernels == 1 ? "" : "s", failed,
		    clean ? "; 0 findings" : "");
}

static int judge_launches(const struct reason **cause, const char **what)
{
	if (atomic_load(&outcome.unread)) {
		*cause = &outcome.launch;
		*what = "a launch failed, and the program did not ask for the error";
		return EXIT_LAUNCH;
	}
	if (atomic_load(&outcome.image.count) && !atomic_load(&outcome.own.launches)) {
		*cause = &outcome.image;
		*what = "no kernel ran, since there is no code for this device";
		return EXIT_IMAGE;
	}
	if (atomic_load(&outcome.unread_without_code)) {
		*cause = &outcome.image;
		*what = "a launch failed, and the program did not ask for the error";
		return EXIT_LAUNCH;
	}
	return 0;
}

/* The status for what went wrong, and the cause with its report; 0: nothing did. */
static int judge(const struct reason **cause, const char **what)
{
	*cause = NULL;
	if (outcome.replaces && atomic_load(&outcome.unlooked) && !outcome.expects_fault) {
		*cause = &outcome.fault;
		*what = "a kernel broke down, and the program did not ask for the error";
		return EXIT_FAULT;
	}
	if (findings_left() && config.exit_code)
		return (int)config.exit_code;
	return outcome.replaces ? judge_launches(cause, what) : 0;
}

void outcome_log_status(int status)
{
	struct gpurun_report report = report_none();

	report.event = GPURUN_REPORT_STATUS;
	report.error = status;
	report.count = (uint64_t)outcome.process;
	outcome_log(&report);
}

/* Why the status is not 0. Of a fault all, since not every library prints what it was. */
static void say_cause(int status, const struct reason *cause, const char *what)
{
	CLEANUP(free_pointer) char *kernel = NULL;
	struct gpurun_report report;

	ASSERT(status && atomic_load(&cause->count));
	report_read(cause->first, &report);
	kernel = demangle_alone(report.kernel);
	if (cause == &outcome.fault)
		output_note("exit status %d, not 0: %s: kernel %s: %s", status, what,
			    kernel ? kernel : report.kernel, report.what);
	else
		output_note("exit status %d, not 0: %s", status, what);
}

static void replace_status(int status)
{
	const struct reason *cause;
	const char *what;
	const int mine = judge(&cause, &what);

	/* The parent sees the low byte alone. */
	if (!mine || status & 0xff)
		return;
	if (cause)
		say_cause(mine, cause, what);
	outcome_log_status(mine);
	/*
	 * glibc, which alone has on_exit(), lets a handler call exit(): the remaining handlers,
	 * a report's perhaps, run one time, with the new status, and buffers are flushed.
	 */
	exit(mine);
}

static void at_exit(int status, void *unused)
{
	(void)unused;
	/* A child of fork() has its parent's outcome, and locks that may be locked for ever. */
	if (driver_state() == DRIVER_FORKED || getpid() != outcome.process)
		return;
	/* What is said here follows what the program printed. */
	fflush(stdout);
	failed_end();
	say_more(&outcome.launch, "failed launches");
	say_more(&outcome.image, "refused images");
	findings_print_more();
	if (outcome.replaces && !outcome.quiet && (config.check || config.log_calls))
		close_report();
	if (findings_count())
		output_note("check: %llu finding%s", (unsigned long long)findings_count(),
			    findings_count() > 1 ? "s" : "");
	replace_status(status);
}

bool outcome_begin(void)
{
	LOCKED;

	if (outcome.begun)
		return true;
	outcome.begun = true;
	outcome.process = getpid();
	read_variable();
	return !on_exit(at_exit, NULL);
}
