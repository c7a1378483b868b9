/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Strings, without a C library. */
#ifndef START_TEXT_H
#define START_TEXT_H

#include <stdbool.h>

static inline bool text_same(const char *a, const char *b)
{
	for (; *a && *a == *b; a++)
		b++;
	return *a == *b;
}

/* What follows the last slash of @path. */
static inline const char *text_file_name(const char *path)
{
	const char *name = path;

	for (; *path; path++)
		name = *path == '/' ? path + 1 : name;
	return name;
}

#endif
