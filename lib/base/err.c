/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "err.h"

#include <stdarg.h>
#include <string.h>

#include "err_text.h"

/* Of the last err_set() in this thread without a struct err. */
static _Thread_local enum gpurun_status unrecorded = GPURUN_INTERNAL;

int err_set(struct err *e, enum gpurun_status code, const char *fmt, ...)
{
	va_list args;

	if (!e) {
		unrecorded = code;
		return code;
	}
	e->code = code;
	e->hint[0] = '\0';
	va_start(args, fmt);
	err_text_format(e->text, NULL, fmt, args);
	va_end(args);
	return code;
}

int err_wrap(struct err *e, const char *fmt, ...)
{
	char reason[ERR_TEXT_SIZE];
	va_list args;

	if (!e)
		return unrecorded;
	memcpy(reason, e->text, sizeof(reason));
	va_start(args, fmt);
	err_text_format(e->text, reason, fmt, args);
	va_end(args);
	return e->code;
}

int err_hint(struct err *e, const char *fmt, ...)
{
	va_list args;

	if (!e)
		return unrecorded;
	va_start(args, fmt);
	err_text_format(e->hint, NULL, fmt, args);
	va_end(args);
	return e->code;
}
