/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Lists of words with commas between, as in GPURUN_LOG. */
#ifndef LIB_WORDS_H
#define LIB_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Tells whether @word is in @list, which may be NULL. */
static inline bool words_have(const char *list, const char *word)
{
	size_t length = strlen(word);

	for (; list; list = strchr(list, ',') ? strchr(list, ',') + 1 : NULL)
		if (strcspn(list, ",") == length && !strncmp(list, word, length))
			return true;
	return false;
}

#endif
