/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* For targets that make PTX of an input: its bytes, one after the other, and the text so far. */
#ifndef TEST_FUZZ_TEXT_H
#define TEST_FUZZ_TEXT_H

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static struct {
	const uint8_t *data;       /* borrowed: what is left of the input */
	size_t left;
	char text[1 << 17];
	size_t length;
} drawn;

/* A number below @most, of the next byte; 0 where there is none. */
static unsigned take(unsigned most)
{
	if (!drawn.left)
		return 0;
	drawn.left--;
	return *drawn.data++ % most;
}

/* Adds to the text; it has to fit. */
__attribute__((format(printf, 1, 2)))
static void put(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	drawn.length += (size_t)vsnprintf(drawn.text + drawn.length, sizeof(drawn.text) - drawn.length,
					 format, args);
	va_end(args);
	if (drawn.length >= sizeof(drawn.text))
		abort();
}

#endif
