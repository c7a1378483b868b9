/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * How a failure shows, where no function can answer one: a line on stderr, and
 * a process that would end with status 0 ends with 115 instead.
 *
 * The status is replaced by a handler of on_exit(), registered by the library's
 * constructor. That is early, so it runs late: behind the handlers of the
 * program and behind .fini_array, where modules are unloaded; and before stdio
 * is flushed. GPURUN_ON_ERROR=report leaves the status alone, =abort stops at
 * the first failure.
 */
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mgpu.h"

enum { EXIT_CUDA = 115 };

/* The process that saw a failure; a child of it did not. */
static _Atomic pid_t failed;

/* The fault that was told: it sticks to the device, whose every call answers it. */
static _Atomic int told_fault;

/* A driver that is gone, which every call answers too, was told. */
static atomic_bool told_gone;

static _Atomic bool told_end;

/* Kinds of things that were not made; a bit for each enum mgpu_kind. */
static _Atomic unsigned missing;

static bool on_error(const char *action)
{
	const char *wanted = secure_getenv("GPURUN_ON_ERROR");

	return wanted && !strcmp(wanted, action);
}

static void replace_status(int status, void *unused)
{
	(void)unused;
	if (status == 0 && atomic_load(&failed) == getpid() && !on_error("report"))
		exit(EXIT_CUDA);
}

__attribute__((constructor)) static void watch_exit(void)
{
	on_exit(replace_status, NULL);
}

static void fail(void)
{
	atomic_store(&failed, getpid());
	if (on_error("abort"))
		abort();
}

/* One line; then the log, which has lines of its own. */
static void tell(const char *who, const char *text, const char *hint, const char *log)
{
	size_t length = strlen(log);

	fprintf(stderr, "mlir_cuda_runtime: %s: %s%s%s\n%s%s", who, text,
		hint[0] ? "; hint: " : "", hint, log,
		length && log[length - 1] != '\n' ? "\n" : "");
}

enum { DRIVER_GONE = 4 }; /* CUDA_ERROR_DEINITIALIZED */

/* Tells the calls apart that answer with a fault, or that the driver is gone, which
 * another one has told. */
static bool is_echo(int status)
{
	int code = gpurun_error_driver();

	if (code == DRIVER_GONE)
		return atomic_exchange(&told_gone, true);
	return status == GPURUN_FAULT && atomic_exchange(&told_fault, code) == code;
}

/* A destructor that goes on calling is told once, and the program's own status stands. */
static void tell_ended(const char *who)
{
	if (!atomic_exchange(&told_end, true))
		tell(who, "the driver has ended with the process: neither this call nor "
			  "another one does anything now", "", "");
}

bool mgpu_ok(const char *who, int status)
{
	if (!status)
		return true;
	if (status == GPURUN_ENDED) {
		tell_ended(who);
	} else if (!is_echo(status)) {
		tell(who, gpurun_error_text(), gpurun_error_hint(), gpurun_error_log());
		fail();
	}
	return false;
}

bool mgpu_released(const char *who, int status)
{
	return status == GPURUN_FORKED || mgpu_ok(who, status);
}

/* A log that begins as the text does lists the failures that the text has in one line. */
static void tell_each(const char *who, const char *log)
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
		tell_each("at exit", log);
	else
		tell("at exit", text, gpurun_error_hint(), log);
	fail();
}

static void tell_formatted(const char *who, const char *format, va_list args)
{
	char text[512];

	vsnprintf(text, sizeof(text), format, args);
	tell(who, text, "", "");
}

bool mgpu_refuse(const char *who, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	tell_formatted(who, format, args);
	va_end(args);
	fail();
	return false;
}

void mgpu_warn(const char *who, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	tell_formatted(who, format, args);
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
