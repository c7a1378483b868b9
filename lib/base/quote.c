/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "quote.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static bool is_plain(const char *word)
{
	if (!*word)
		return false;
	for (; *word; word++)
		if (!isalnum((unsigned char)*word) && !strchr("_./+-@%,:=", *word))
			return false;
	return true;
}

bool quote_word(const char *word, char *text, size_t size)
{
	size_t at = 0;

	if (is_plain(word))
		return (size_t)snprintf(text, size, "%s", word) < size;
	for (text[at++] = '\''; *word && at + 6 < size; word++)
		at += (size_t)snprintf(text + at, size - at, *word == '\'' ? "'\\''" : "%c",
				       *word);
	snprintf(text + at, size - at, "'");
	return !*word;
}
