/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "report.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static char report[REPORT_SIZE];
static bool muted; /* the program has called gpurunCpuReport() */

void report_set(const char *fmt, ...)
{
	va_list args;
	size_t length;

	va_start(args, fmt);
	vsnprintf(report, sizeof(report), fmt, args);
	va_end(args);
	length = strlen(report);
	if (!muted && length)
		fprintf(stderr, "%s%s", report, report[length - 1] == '\n' ? "" : "\n");
}

void report_set_quietly(const char *text)
{
	snprintf(report, sizeof(report), "%s", text);
}

void report_clear(void)
{
	report[0] = '\0';
}

void report_mute(void)
{
	muted = true;
}

void report_copy(char *text, size_t size)
{
	snprintf(text, size, "%s", report);
}
