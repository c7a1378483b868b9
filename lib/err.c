/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Names come out of files: what they hold must not reach a terminal or make a second
 * line. */
static void make_printable(char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < 0x20 || *text == 0x7f)
			*text = '?';
}

int err_set(struct err *e, enum gpurun_status code, const char *fmt, ...)
{
	va_list args;

	if (!e)
		return code;
	e->code = code;
	e->hint[0] = '\0';
	va_start(args, fmt);
	vsnprintf(e->text, sizeof(e->text), fmt, args);
	va_end(args);
	make_printable(e->text);
	return code;
}

int err_wrap(struct err *e, const char *fmt, ...)
{
	char inner[sizeof(e->text)];
	va_list args;
	int length;

	if (!e)
		return GPURUN_INTERNAL;
	memcpy(inner, e->text, sizeof(inner));
	va_start(args, fmt);
	length = vsnprintf(e->text, sizeof(e->text), fmt, args);
	va_end(args);
	if (length >= 0 && (size_t)length < sizeof(e->text))
		snprintf(e->text + length, sizeof(e->text) - (size_t)length, ": %.*s",
			 (int)(sizeof(inner) - 3 - (size_t)length), inner);
	make_printable(e->text);
	return e->code;
}

int err_hint(struct err *e, const char *fmt, ...)
{
	va_list args;

	if (!e)
		return GPURUN_INTERNAL;
	va_start(args, fmt);
	vsnprintf(e->hint, sizeof(e->hint), fmt, args);
	va_end(args);
	make_printable(e->hint);
	return e->code;
}
