/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "suggest.h"

#include <stdint.h>
#include <string.h>
#include <strings.h>

enum {
	LONGEST = 64, /* longer words are compared by their beginnings */
	MOST = 16384, /* words that are compared letter by letter: a bound on the time */
};

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

/* How many letters of the longer one of @a and @b the other has not: a least distance. */
static size_t least_distance(const char *a, const char *b)
{
	size_t m = strnlen(a, LONGEST), n = strnlen(b, LONGEST), common = 0;
	uint8_t letters[256] = { 0 };

	for (size_t i = 0; i < m; i++)
		letters[(unsigned char)a[i]]++;
	for (size_t i = 0; i < n; i++) {
		uint8_t *left = &letters[(unsigned char)b[i]];

		common += *left > 0;
		*left -= *left > 0;
	}
	return (m > n ? m : n) - common;
}

const char *suggest(const char *word, const char *const *words, size_t count)
{
	const char *best = NULL;
	size_t limit = strlen(word) / 3 + 1, nearest = limit + 1, compared = 0;

	for (size_t i = 0; i < count; i++) {
		size_t edits = 0;

		if (strcasecmp(word, words[i])) {
			if (compared == MOST || least_distance(word, words[i]) >= nearest)
				continue;
			edits = distance(word, words[i]);
			compared++;
		}
		if (edits < nearest) {
			nearest = edits;
			best = words[i];
		}
	}
	return best;
}
