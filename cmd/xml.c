/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "xml.h"

#include <stdbool.h>

#include "utf8.h"

/* Tells whether XML 1.0 has the character. */
static bool is_allowed(unsigned code)
{
	return code == '\t' || code == '\n' || code == '\r' ||
	       (code >= 0x20 && code != 0x7f && code != 0xfffe && code != 0xffff);
}

static const char *entity_of(unsigned code, bool attribute)
{
	switch (code) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '\r':
		return "&#13;";
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

static void write_text(FILE *to, const char *text, bool attribute)
{
	const unsigned char *at = (const unsigned char *)text;

	while (*at) {
		unsigned code;
		const int length = utf8_sequence(at, &code);
		const char *entity = entity_of(code, attribute);

		if (!length || !is_allowed(code))
			fputs("\xef\xbf\xbd", to);
		else if (entity)
			fputs(entity, to);
		else
			fwrite(at, 1, (size_t)length, to);
		at += length ? length : 1;
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
