/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Failures, which no function can return: a line on stderr, and a process that
 * would end with status 0, or one that its parent sees as 0, ends with 115 instead. Under gpurun
 * --exec, which GPURUN_EXEC says, it ends as gpurun does for the same cause: with 117 for a fault,
 * 116 for a launch that is refused, 112 for an image without code for the device; and a fault that
 * --expect-fault asks for is none.
 *
 * The status is replaced by a handler of on_exit(), registered by the library's
 * constructor. That is early, so it runs late: after the handlers of the program
 * and after .fini_array, where modules are unloaded; and before stdio is
 * flushed. GPURUN_ON_ERROR=report leaves the status unchanged, =abort stops at
 * the first failure.
 */
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mgpu.h"

enum { EXIT_IMAGE = 112, EXIT_CUDA = 115, EXIT_LAUNCH = 116, EXIT_FAULT = 117 };

/* What failed, the gravest of all; 0: nothing did. */
static _Atomic int worst;

/* The process that had a failure; a child of it had none. */
static _Atomic pid_t failed;

/* The fault that was reported: every later call of its device returns it. */
static _Atomic int reported_fault;

/* The end of the driver, which every later call returns too, was reported. */
static atomic_bool reported_gone;

static _Atomic bool reported_end;

/* Kinds of objects that were not created; a bit for each enum mgpu_kind. */
static _Atomic unsigned missing;

static bool on_error(const char *action)
{
	const char *wanted = secure_getenv("GPURUN_ON_ERROR");

	return wanted && !strcmp(wanted, action);
}

static void replace_status(int status, void *unused)
{
	(void)unused;
	if (status & 0xff || atomic_load(&failed) != getpid() || on_error("report"))
		return;
	status = secure_getenv("GPURUN_EXEC") ? atomic_load(&worst) : EXIT_CUDA;
	gpurun_exit_status(status);
	exit(status);
}

static int exit_of(int status)
{
	switch (status) {
	case GPURUN_FAULT:
		return EXIT_FAULT;
	case GPURUN_LAUNCH:
		return EXIT_LAUNCH;
	case GPURUN_NO_IMAGE:
		return EXIT_IMAGE;
	}
	return EXIT_CUDA;
}

/* A fault decides, then a launch, then an image, then anything else. */
static int rank(int code)
{
	static const int ranks[] = { 0, EXIT_CUDA, EXIT_IMAGE, EXIT_LAUNCH, EXIT_FAULT };
	int i = 0;

	while (ranks[i] != code)
		i++;
	return i;
}

static void note_worst(int code)
{
	int before = atomic_load(&worst);

	while (rank(code) > rank(before) && !atomic_compare_exchange_weak(&worst, &before, code))
		;
}

__attribute__((constructor)) static void watch_exit(void)
{
	on_exit(replace_status, NULL);
}

/* Tells whether a list of words with commas between, which may be NULL, has @word. lib/base/words.h
 * does so too, and is not this library's to include. */
static bool has_word(const char *list, const char *word)
{
	const size_t length = strlen(word);

	for (; list; list = strchr(list, ',') ? strchr(list, ',') + 1 : NULL)
		if (strcspn(list, ",") == length && !strncmp(list, word, length))
			return true;
	return false;
}

/* Tells whether @status is a fault, and gpurun --expect-fault asks for one. */
static bool is_expected(int status)
{
	return status == GPURUN_FAULT && has_word(secure_getenv("GPURUN_EXEC"), "expect-fault");
}

static void fail(int status)
{
	if (!is_expected(status)) {
		note_worst(exit_of(status));
		atomic_store(&failed, getpid());
	}
	if (on_error("abort"))
		abort();
}

/* Writes one line; then the log, which has its own lines. */
static void report(const char *who, const char *text, const char *hint, const char *log)
{
	size_t length = strlen(log);

	fprintf(stderr, "mlir_cuda_runtime: %s: %s%s%s\n%s%s", who, text,
		hint[0] ? "; hint: " : "", hint, log,
		length && log[length - 1] != '\n' ? "\n" : "");
}

enum { DRIVER_GONE = 4 }; /* CUDA_ERROR_DEINITIALIZED */

/* Tells whether @status only repeats a fault, or the end of the driver, that was reported
 * for another call. */
static bool is_echo(int status)
{
	int code = gpurun_error_driver();

	if (code == DRIVER_GONE)
		return atomic_exchange(&reported_gone, true);
	return status == GPURUN_FAULT && atomic_exchange(&reported_fault, code) == code;
}

/* Calls of destructors after the end are reported one time; the exit status is unchanged. */
static void report_ended(const char *who)
{
	if (!atomic_exchange(&reported_end, true))
		report(who, "the driver has ended with the process: neither this call nor "
			    "another one does anything now", "", "");
}

/* The advice for an image without code for the device says what MLIR calls it, too. */
static const char *hint_for(int status, char *hint, size_t size)
{
	if (status != GPURUN_NO_IMAGE)
		return gpurun_error_hint();
	snprintf(hint, size, "%s%sin MLIR: cubin-format=isa or fatbin adds PTX, "
		 "cubin-chip says for which GPU", gpurun_error_hint(),
		 *gpurun_error_hint() ? "; " : "");
	return hint;
}

bool mgpu_ok(const char *who, int status)
{
	char hint[512];

	if (!status)
		return true;
	if (status == GPURUN_ENDED) {
		report_ended(who);
	} else if (!is_echo(status)) {
		report(who, gpurun_error_text(), hint_for(status, hint, sizeof(hint)),
		       gpurun_error_log());
		fail(status);
	}
	return false;
}

bool mgpu_released(const char *who, int status)
{
	return status == GPURUN_FORKED || mgpu_ok(who, status);
}

/* A log that begins like the text lists the failures that the text has in one line. */
static void report_each(const char *who, const char *log)
{
	while (*log) {
		int length = (int)strcspn(log, "\n");

		fprintf(stderr, "mlir_cuda_runtime: %s: %.*s\n", who, length, log);
		log += length + (log[length] == '\n');
	}
}

void mgpu_report_end(int status, void *unused)
{
	const char *text = gpurun_error_text(), *log = gpurun_error_log();
	size_t first = strcspn(log, "\n");

	(void)unused;
	if (!status || is_echo(status))
		return;
	if (first && !strncmp(text, log, first))
		report_each("at exit", log);
	else
		report("at exit", text, gpurun_error_hint(), log);
	fail(status);
}

static void report_formatted(const char *who, const char *format, va_list args)
{
	char text[512];

	vsnprintf(text, sizeof(text), format, args);
	report(who, text, "", "");
}

bool mgpu_refuse(const char *who, int status, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	report_formatted(who, format, args);
	va_end(args);
	fail(status);
	return false;
}

void mgpu_warn(const char *who, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	report_formatted(who, format, args);
	va_end(args);
}

void *mgpu_not_made(enum mgpu_kind kind)
{
	atomic_fetch_or(&missing, 1u << kind);
	return NULL;
}

bool mgpu_is_consequence(enum mgpu_kind kind)
{
	return atomic_load(&missing) & 1u << kind;
}
