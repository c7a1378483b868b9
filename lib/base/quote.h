/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef LIB_QUOTE_H
#define LIB_QUOTE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Prints @word to @text, which has @size bytes, as a shell reads it: unchanged, or between
 * apostrophes. Returns whether it fits.
 */
bool quote_word(const char *word, char *text, size_t size);

#endif
