/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "message.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cleanup.h"
#include "colour.h"
#include "halt.h"
#include "line_rank.h"
#include "status_line.h"
#include "visible.h"

static bool is_quiet;
static bool is_verbose;

void message_level(bool quiet, bool verbose)
{
	is_quiet = quiet;
	is_verbose = verbose;
}

void message_error(const struct err *e)
{
	const char *red = colour_wanted(STDERR_FILENO) ? COLOUR_ERROR : "";
	const char *plain = *red ? COLOUR_PLAIN : "";
	char shown[ERR_TEXT_SIZE];

	halt_point();
	fflush(stdout);
	visible_copy(shown, sizeof(shown), e->text, strlen(e->text), VISIBLE_NAME);
	fprintf(stderr, "gpurun: %s%serror:%s %s\n", line_rank(), red, plain, shown);
	if (*e->hint)
		visible_printf(stderr, "gpurun: %shint: %s\n", line_rank(), e->hint);
}

/* The main thread may hold a stream for ever. */
void message_at_once(const struct err *e)
{
	const char *red = colour_wanted(STDERR_FILENO) ? COLOUR_ERROR : "";
	const char *plain = *red ? COLOUR_PLAIN : "";
	char shown[ERR_TEXT_SIZE];

	visible_copy(shown, sizeof(shown), e->text, strlen(e->text), VISIBLE_NAME);
	status_line_end();
	dprintf(2, "gpurun: %s%serror:%s %s\n", line_rank(), red, plain, shown);
}

/* In one write: what a launcher gets of several processes it passes on cut where a write ends. */
static void print(const char *kind, const char *fmt, va_list args)
{
	CLEANUP(free_pointer) char *text = NULL;

	halt_point();
	fflush(stdout);
	if (vasprintf(&text, fmt, args) < 0)
		text = NULL;
	visible_printf(stderr, "gpurun: %s%s%s\n", line_rank(), kind, text ? text : fmt);
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

/* The bytes of the first line of @log and of those below it that are indented. */
static size_t first_entry(const char *log)
{
	size_t length = strcspn(log, "\n");

	while (log[length] && (log[length + 1] == ' ' || log[length + 1] == '\t'))
		length += 1 + strcspn(log + length + 1, "\n");
	return length;
}

void message_log(const char *log)
{
	halt_point();
	if (has_lines(gpurun_error_text(), log))
		return;
	for (size_t length; *log; log += length + (log[length] == '\n')) {
		CLEANUP(free_pointer) char *entry = NULL;

		length = first_entry(log);
		entry = strndup(log, length);
		if (entry && length)
			colour_report(stderr, "", entry);
		else if (!entry) /* without memory: as it is */
			visible_write(stderr, log, length, VISIBLE_TEXT);
	}
}
