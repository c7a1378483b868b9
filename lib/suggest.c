/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "suggest.h"

#include <string.h>
#include <strings.h>

enum { LONGEST = 64 }; /* longer words are compared by their beginnings */

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* The number of edits between @a and @b; a swap of neighbours is one. */
static size_t distance(const char *a, const char *b)
{
	size_t rows[3][LONGEST + 1], m = strnlen(a, LONGEST), n = strnlen(b, LONGEST);

	for (size_t j = 0; j <= n; j++)
		rows[0][j] = j;
	for (size_t i = 1; i <= m; i++) {
		size_t *row = rows[i % 3], *above = rows[(i + 2) % 3];
		const size_t *swapped = rows[(i + 1) % 3];

		row[0] = i;
		for (size_t j = 1; j <= n; j++) {
			row[j] = least(above[j - 1] + (a[i - 1] != b[j - 1]),
				       least(above[j], row[j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
			    a[i - 2] == b[j - 1])
				row[j] = least(row[j], swapped[j - 2] + 1);
		}
	}
	return rows[m % 3][n];
}

const char *suggest(const char *word, const char *const *words, size_t count)
{
	const char *best = NULL;
	size_t limit = strlen(word) / 3 + 1, nearest = limit + 1;

	for (size_t i = 0; i < count; i++) {
		size_t edits = strcasecmp(word, words[i]) ? distance(word, words[i]) : 0;

		if (edits < nearest) {
			nearest = edits;
			best = words[i];
		}
	}
	return best;
}
