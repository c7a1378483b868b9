/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Answers of a driver: answer() reports one, a line "question: answer" or "question:words". */
#ifndef CONFORMANCE_ANSWERS_H
#define CONFORMANCE_ANSWERS_H

#include <stdarg.h>
#include <unistd.h>

#include "cuda_kernels.h"

#define UNWRITTEN    -77 /* what a result is before the call */
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Where answers go: to the process that compares them. */
static int answers_to = -1;

__attribute__((format(printf, 1, 2))) TAP_UNUSED static void answer(const char *format, ...)
{
	va_list list;
	char line[2048];
	int length;

	va_start(list, format);
	length = vsnprintf(line, sizeof(line) - 1, format, list);
	va_end(list);
	if (length < 0 || length >= (int)sizeof(line) - 1)
		abort();
	line[length++] = '\n';
	if (write(answers_to, line, (size_t)length) != length)
		abort();
}

/* A line of answers that is made word by word. */
struct words {
	char text[1536];
	size_t length;
};

__attribute__((format(printf, 2, 3))) TAP_UNUSED static void say(struct words *words,
								  const char *format, ...)
{
	va_list list;

	va_start(list, format);
	words->length += (size_t)vsnprintf(words->text + words->length,
					   sizeof(words->text) - words->length, format, list);
	va_end(list);
	if (words->length >= sizeof(words->text))
		abort();
}

#endif
