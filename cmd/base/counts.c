/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "counts.h"

#include <inttypes.h>

static const char *const names[COUNTED_KINDS] = {
#define COUNTED(id, name, meaning) name,
#include "counted.def"
};

void counts_report(struct json *json, const struct counted *counted)
{
	json_object(json, "counted");
	for (unsigned i = 0; i < COUNTED_KINDS; i++)
		json_unsigned(json, names[i], counted->at[i]);
	json_end_object(json);
}

_Static_assert(COUNTED_KINDS * (2 + 16 + 20) < COUNTS_TEXT, "a name has 16 letters at most");

const char *counts_text(const struct counted *counted, char text[COUNTS_TEXT])
{
	size_t length = 0;

	snprintf(text, COUNTS_TEXT, "nothing");
	for (unsigned i = 0; i < COUNTED_KINDS; i++)
		if (counted->at[i])
			length += (size_t)snprintf(text + length, COUNTS_TEXT - length,
						   "%s%.16s %" PRIu64, length ? ", " : "",
						   names[i], counted->at[i]);
	return text;
}
