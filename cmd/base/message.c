/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "message.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "halt.h"
#include "visible.h"

static bool is_quiet;
static bool is_verbose;

void message_level(bool quiet, bool verbose)
{
	is_quiet = quiet;
	is_verbose = verbose;
}

static bool colour(void)
{
	const char *no = getenv("NO_COLOR");
	const char *terminal = getenv("TERM");

	return (!no || !*no) && (!terminal || strcmp(terminal, "dumb")) && isatty(2);
}

void message_error(const struct err *e)
{
	const char *red = colour() ? "\033[1;31m" : "";
	const char *plain = *red ? "\033[0m" : "";
	char shown[ERR_TEXT_SIZE];

	halt_point();
	fflush(stdout);
	visible_copy(shown, sizeof(shown), e->text, strlen(e->text), VISIBLE_NAME);
	fprintf(stderr, "gpurun: %serror:%s %s\n", red, plain, shown);
	if (*e->hint)
		visible_printf(stderr, "gpurun: hint: %s\n", e->hint);
}

/* The main thread may hold a stream for ever. */
void message_at_once(const struct err *e)
{
	const char *red = colour() ? "\033[1;31m" : "";
	const char *plain = *red ? "\033[0m" : "";
	char shown[ERR_TEXT_SIZE];

	visible_copy(shown, sizeof(shown), e->text, strlen(e->text), VISIBLE_NAME);
	dprintf(2, "gpurun: %serror:%s %s\n", red, plain, shown);
}

static void print(const char *kind, const char *fmt, va_list args)
{
	halt_point();
	fflush(stdout);
	fprintf(stderr, "gpurun: %s", kind);
	visible_vprintf(stderr, fmt, args);
	fputc('\n', stderr);
}

void message_warning(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	print("warning: ", fmt, args);
	va_end(args);
}

void message_note(const char *fmt, ...)
{
	va_list args;

	if (is_quiet)
		return;
	va_start(args, fmt);
	print("", fmt, args);
	va_end(args);
}

void message_verbose(const char *fmt, ...)
{
	va_list args;

	if (!is_verbose)
		return;
	va_start(args, fmt);
	print("", fmt, args);
	va_end(args);
}

/* Tells whether @text has every line of @log. */
static bool has_lines(const char *text, const char *log)
{
	for (size_t length; *log; log += length + (log[length] == '\n')) {
		length = strcspn(log, "\n");
		if (!memmem(text, strlen(text), log, length))
			return false;
	}
	return true;
}

void message_log(const char *log)
{
	halt_point();
	if (has_lines(gpurun_error_text(), log))
		return;
	visible_write(stderr, log, strlen(log), VISIBLE_TEXT);
	if (log[strlen(log) - 1] != '\n')
		fputc('\n', stderr);
}
