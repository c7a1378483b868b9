/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Any bytes: what is shown has nothing that is escaped, stays as it is when it is filtered again,
 * is the same by each way, and where it is cut it has the same beginning. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "visible.h"

static void check_characters(const char *text, size_t size, enum visible_as as)
{
	struct visible_char read;

	for (size_t at = 0; at < size; at += read.length) {
		read = visible_next(text + at, size - at);
		if (read.kind != VISIBLE_PLAIN &&
		    (as == VISIBLE_NAME || (text[at] != '\n' && text[at] != '\t')))
			abort();
	}
}

static void check_written(const char *data, size_t size, const char *want, enum visible_as as)
{
	char *text = NULL;
	size_t length;
	FILE *to = open_memstream(&text, &length);

	if (as == VISIBLE_TEXT)
		visible_lines(to, "%.*s", (int)size, data);
	else
		visible_printf(to, "%.*s\n", (int)size, data);
	visible_write(to, data, size, as);
	if (fclose(to) || length < strlen(want) || strcmp(text + length - strlen(want), want))
		abort();
	free(text);
}

static void check(const char *data, size_t size, enum visible_as as)
{
	const size_t room = size * VISIBLE_GROWTH + 1;
	char *shown = malloc(room), *again = malloc(room);
	const size_t length = visible_copy(shown, room, data, size, as);

	if (length != strlen(shown) || visible_copy(again, room, shown, length, as) != length ||
	    strcmp(shown, again))
		abort();
	check_characters(shown, length, as);
	check_written(data, size, shown, as);
	visible_copy(again, room / 2 + 1, data, size, as);
	if (strncmp(shown, again, strlen(again)))
		abort();
	free(shown);
	free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	check((const char *)data, size, VISIBLE_NAME);
	check((const char *)data, size, VISIBLE_TEXT);
	return 0;
}
