/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef LIB_SUGGEST_H
#define LIB_SUGGEST_H

#include <stddef.h>

/*
 * Returns the one of @count @words that was probably meant by @word: the
 * nearest by insertions, deletions, replacements and swaps of neighbours, or
 * one that differs in case alone. NULL when none is near.
 */
const char *suggest(const char *word, const char *const *words, size_t count);

#endif
