/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The filter of all text that is shown to people: what comes from a file, a kernel, the command
 * line, the environment or a driver, on its way to a terminal, a log or a report.
 *
 * Names may have any bytes, and a terminal obeys some: they would move the cursor, fake a line,
 * or turn a text around. These are shown as what they are called, and nothing else is changed:
 *
 *   \x1b    control characters of ASCII, DEL
 *   \u009b  those of Unicode, U+0080 to U+009F; what turns or ends a line of text (U+061C, U+200E,
 *           U+200F, U+2028 to U+202E, U+2066 to U+2069); U+FFFE and U+FFFF, which are no characters
 *   \xff    a byte that is not of valid UTF-8
 *
 * A backslash stays one, so a text may be filtered twice, and "\x1b" may also be a text that has
 * these four letters. What a kernel prints by printf() is the program's own output and is not
 * filtered, nor is a file that --out or --extract writes.
 */
#ifndef LIB_VISIBLE_H
#define LIB_VISIBLE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* What may stay of the control characters. */
enum visible_as {
	VISIBLE_NAME, /* none: a part of a line */
	VISIBLE_TEXT, /* '\n' and '\t': lines that gpurun made, of names that were filtered */
};

/* The bytes of the longest escape, and by what a text's bytes grow at most: "\xff" for one. */
enum { VISIBLE_ESCAPE = 6, VISIBLE_GROWTH = 4 };

/* A character of a text. */
struct visible_char {
	enum {
		VISIBLE_PLAIN, /* it is shown as it is */
		VISIBLE_CODE,  /* it is shown by its number @code */
		VISIBLE_BYTE,  /* a byte, @code, that is of no character */
	} kind;
	unsigned code;
	size_t length; /* in bytes, from 1 to 4 */
};

/* Reads the first character of the @size bytes at @text, which are at least one. */
struct visible_char visible_next(const char *text, size_t size);

/*
 * Writes @size bytes of @text, filtered, to the @room bytes at @to, and a NUL; what does not fit is
 * left out from a whole character on. Returns how many bytes there would have been with room for
 * all, without the NUL. @to and @text do not overlap.
 */
size_t visible_copy(char *to, size_t room, const char *text, size_t size, enum visible_as as);

/* Returns @text, filtered, owned by the caller (free); NULL when memory is exhausted. */
char *visible_new(const char *text, enum visible_as as);

/*
 * Writes @size bytes of @text, filtered, to @to: in one piece, unless some are escaped and there
 * are more than 1,000.
 */
void visible_write(FILE *to, const char *text, size_t size, enum visible_as as);

/*
 * Formats as printf() does and writes the result to @to likewise, filtered as VISIBLE_NAME but
 * for a newline that ends @fmt. Without memory the result is cut after 1,023 bytes.
 */
void visible_printf(FILE *to, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void visible_vprintf(FILE *to, const char *fmt, va_list args) __attribute__((format(printf, 2, 0)));

/* The same, filtered as VISIBLE_TEXT. */
void visible_lines(FILE *to, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
