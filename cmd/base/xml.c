/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "xml.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "visible.h"

static const char *entity_of(char c, bool attribute)
{
	switch (c) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return attribute ? "&quot;" : NULL;
	case '\n':
		return attribute ? "&#10;" : NULL;
	case '\t':
		return attribute ? "&#9;" : NULL;
	default:
		return NULL;
	}
}

/* What is filtered has no character that XML 1.0 lacks. */
static void write_text(FILE *to, const char *text, bool attribute)
{
	CLEANUP(free_pointer) char *shown = visible_new(text, VISIBLE_TEXT);

	if (!shown)
		return;
	for (const char *at = shown; *at; at++) {
		const char *entity = entity_of(*at, attribute);

		if (entity)
			fputs(entity, to);
		else
			fputc(*at, to);
	}
}

void xml_text(FILE *to, const char *text)
{
	write_text(to, text, false);
}

void xml_attribute(FILE *to, const char *name, const char *text)
{
	fprintf(to, " %s=\"", name);
	write_text(to, text, true);
	fputc('"', to);
}
