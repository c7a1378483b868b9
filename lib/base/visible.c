/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "visible.h"

#include <stdlib.h>
#include <string.h>

#include "cleanup.h"

/* Characters that are not shown as they are; in ascending order. */
static const struct {
	unsigned first, last;
} hidden[] = {
	{ 0x00, 0x1f },	    { 0x7f, 0x9f },	{ 0x61c, 0x61c },
	{ 0x200e, 0x200f }, { 0x2028, 0x202e }, { 0x2066, 0x2069 },
	{ 0xfffe, 0xffff },
};

static bool is_hidden(unsigned code)
{
	for (size_t i = 0; i < sizeof(hidden) / sizeof(hidden[0]); i++)
		if (code <= hidden[i].last)
			return code >= hidden[i].first;
	return false;
}

/* Reads a sequence of UTF-8; returns how many bytes it has, 0: there is none. */
static size_t read_sequence(const unsigned char *at, size_t size, unsigned *code)
{
	static const unsigned least[5] = { 0, 0, 0x80, 0x800, 0x10000 };
	const size_t length = *at < 0x80       ? 1
			      : *at >> 5 == 6  ? 2
			      : *at >> 4 == 14 ? 3
			      : *at >> 3 == 30 ? 4
					       : 0;

	if (!length || length > size)
		return 0;
	*code = length > 1 ? *at & (0x7fu >> length) : *at;
	for (size_t i = 1; i < length; i++) {
		if (at[i] >> 6 != 2)
			return 0;
		*code = *code << 6 | (at[i] & 0x3f);
	}
	if (*code < least[length] || *code > 0x10ffff || (*code >= 0xd800 && *code <= 0xdfff))
		return 0;
	return length;
}

struct visible_char visible_next(const char *text, size_t size)
{
	const unsigned char *at = (const unsigned char *)text;
	struct visible_char read = { .kind = VISIBLE_PLAIN };

	read.length = read_sequence(at, size, &read.code);
	if (!read.length)
		return (struct visible_char){ VISIBLE_BYTE, *at, 1 };
	if (is_hidden(read.code))
		read.kind = VISIBLE_CODE;
	return read;
}

/* Tells whether nothing needs to be done about @byte, which is most often so. */
static bool is_plain(unsigned char byte)
{
	return byte >= 0x20 && byte < 0x7f;
}

static bool stays(const struct visible_char *read, enum visible_as as)
{
	return read->kind == VISIBLE_PLAIN ||
	       (as == VISIBLE_TEXT && (read->code == '\n' || read->code == '\t'));
}

size_t visible_copy(char *to, size_t room, const char *text, size_t size, enum visible_as as)
{
	size_t used = 0, fits = 0;

	for (size_t at = 0; at < size;) {
		struct visible_char read = { VISIBLE_PLAIN, 0, 1 };
		char escape[VISIBLE_ESCAPE + 1];
		const char *shown = text + at;
		size_t length;

		if (!is_plain((unsigned char)text[at]))
			read = visible_next(text + at, size - at);
		at += read.length;
		length = read.length;
		if (!stays(&read, as)) {
			const bool is_byte = read.kind == VISIBLE_BYTE || read.code < 0x80;

			length = (size_t)snprintf(escape, sizeof(escape),
						  is_byte ? "\\x%02x" : "\\u%04x",
						  read.code & 0xffff);
			shown = escape;
		}
		if (fits == used && used + length < room) {
			memcpy(to + used, shown, length);
			fits += length;
		}
		used += length;
	}
	if (room)
		to[fits] = '\0';
	return used;
}

/* Writes @size bytes of @text filtered, and the @kept after them as they are. */
static void write_all(FILE *to, const char *text, size_t size, size_t kept, enum visible_as as)
{
	char shown[1024 * VISIBLE_GROWTH];
	const size_t most = sizeof(shown) / VISIBLE_GROWTH - 4;

	/* An escape is longer than what it stands for. */
	if (visible_copy(NULL, 0, text, size, as) == size) {
		fwrite(text, 1, size + kept, to);
		return;
	}
	for (size_t at = 0, end = 0, length; at < size; at = end) {
		while (end < size && end - at < most)
			end += visible_next(text + end, size - end).length;
		length = visible_copy(shown, sizeof(shown), text + at, end - at, as);
		if (end == size)
			memcpy(shown + length, text + size, kept);
		fwrite(shown, 1, length + (end == size ? kept : 0), to);
	}
}

char *visible_new(const char *text, enum visible_as as)
{
	const size_t size = strlen(text), room = size * VISIBLE_GROWTH + 1;
	char *shown = malloc(room);

	if (shown)
		visible_copy(shown, room, text, size, as);
	return shown;
}

void visible_write(FILE *to, const char *text, size_t size, enum visible_as as)
{
	write_all(to, text, size, 0, as);
}

static void print(FILE *to, enum visible_as as, const char *fmt, va_list args)
	__attribute__((format(printf, 3, 0)));

static void print(FILE *to, enum visible_as as, const char *fmt, va_list args)
{
	const size_t length = strlen(fmt), kept = length && fmt[length - 1] == '\n';
	CLEANUP(free_pointer) char *longer = NULL;
	char text[1024];
	va_list again;
	int size;

	va_copy(again, args);
	size = vsnprintf(text, sizeof(text), fmt, args);
	if (size >= (int)sizeof(text) && vasprintf(&longer, fmt, again) < 0) {
		longer = NULL;
		size = sizeof(text) - 1;
		memcpy(text + size - kept, "\n", kept);
	}
	va_end(again);
	if (size > 0)
		write_all(to, longer ? longer : text, (size_t)size - kept, kept, as);
}

void visible_vprintf(FILE *to, const char *fmt, va_list args)
{
	print(to, VISIBLE_NAME, fmt, args);
}

void visible_printf(FILE *to, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	print(to, VISIBLE_NAME, fmt, args);
	va_end(args);
}

void visible_lines(FILE *to, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	print(to, VISIBLE_TEXT, fmt, args);
	va_end(args);
}
