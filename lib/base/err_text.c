/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "err_text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "asserts.h"
#include "visible.h"

enum {
	ROOM = ERR_TEXT_SIZE - 1,
	MOST_PIECES = 40,
	STRING_LEAST = 64, /* bytes that an inserted string keeps, as it is shown */
};

/* What a text consists of, in order: words of the format, numbers, strings. */
struct piece {
	const char *at; /* borrowed; NULL: it is the number */
	size_t length;
	size_t shown; /* bytes of it when it is filtered */
	bool is_string;
	char number[40];
};

struct pieces {
	struct piece at[MOST_PIECES];
	size_t count;
	va_list args; /* of those that follow */
};

/* One conversion of a format: "%.*s", "%llu". */
struct conversion {
	char text[16]; /* all of it */
	size_t length;
	size_t precision; /* bytes of a string at most */
	unsigned longs;	  /* 1: of a long or a size_t; 2: of a long long */
	char kind;
};

static struct piece *add_piece(struct pieces *pieces, const char *at, size_t length)
{
	ASSERT(pieces->count < MOST_PIECES);
	struct piece *piece = &pieces->at[pieces->count++];

	*piece = (struct piece){ .at = at, .length = length, .shown = length };
	return piece;
}

/* Reads the conversion at @fmt; one that is not known here has kind 0. */
static struct conversion read_conversion(const char *fmt, va_list *args)
{
	struct conversion read = { .precision = SIZE_MAX };
	const char *at = fmt + 1, *known = "diuxXcpgs";

	at += strspn(at, "-+ #0123456789");
	if (*at == '.' && at[1] == '*') {
		read.precision = (size_t)va_arg(*args, int);
		known = "s"; /* a number would need it */
		at += 2;
	} else if (*at == '.') {
		read.precision = (size_t)strtoul(at + 1, (char **)&at, 10);
	}
	for (; *at == 'l' || *at == 'z' || *at == 'h'; at++)
		read.longs += *at != 'h';
	read.length = (size_t)(at - fmt) + 1;
	if (*at && strchr(known, *at) && read.length < sizeof(read.text)) {
		memcpy(read.text, fmt, read.length);
		read.kind = *at;
	}
	return read;
}

#define NUMBER(piece, conversion, type, args)                                    \
	snprintf((piece)->number, sizeof((piece)->number), (conversion)->text,   \
		 va_arg(args, type))

static void add_number(struct pieces *pieces, const struct conversion *conversion)
{
	struct piece *piece = add_piece(pieces, NULL, 0);

	if (conversion->kind == 'g')
		NUMBER(piece, conversion, double, pieces->args);
	else if (conversion->kind == 'p')
		NUMBER(piece, conversion, void *, pieces->args);
	else if (conversion->longs == 2)
		NUMBER(piece, conversion, long long, pieces->args);
	else if (conversion->longs)
		NUMBER(piece, conversion, long, pieces->args);
	else
		NUMBER(piece, conversion, int, pieces->args);
	piece->length = piece->shown = strlen(piece->number);
}

static void add_string(struct pieces *pieces, const struct conversion *conversion)
{
	const char *text = va_arg(pieces->args, const char *);
	struct piece *piece;

	text = text ? text : "(null)";
	piece = add_piece(pieces, text, strnlen(text, conversion->precision));
	piece->shown = visible_copy(NULL, 0, text, piece->length, VISIBLE_NAME);
	piece->is_string = true;
}

/* Adds the result of the conversion at @fmt; returns its end, NULL: it is not known. */
static const char *add_conversion(struct pieces *pieces, const char *fmt)
{
	const struct conversion conversion = read_conversion(fmt, &pieces->args);

	if (!conversion.kind)
		return NULL;
	if (conversion.kind == 's')
		add_string(pieces, &conversion);
	else
		add_number(pieces, &conversion);
	return fmt + conversion.length;
}

/* Splits the result of @fmt and its arguments, as far as there is room for pieces. */
static void split(struct pieces *pieces, const char *fmt)
{
	while (fmt && *fmt && pieces->count < MOST_PIECES) {
		size_t length = strcspn(fmt, "%");

		if (length) {
			add_piece(pieces, fmt, length);
			fmt += length;
		} else if (fmt[1] == '%') {
			add_piece(pieces, fmt, 1);
			fmt += 2;
		} else {
			fmt = add_conversion(pieces, fmt);
		}
	}
}

/* The bytes of @piece when strings have @most. */
static size_t length_of(const struct piece *piece, size_t most)
{
	return piece->is_string && piece->shown > most ? most : piece->shown;
}

static size_t length_of_all(const struct pieces *pieces, size_t most)
{
	size_t sum = 0;

	for (size_t i = 0; i < pieces->count; i++)
		sum += length_of(&pieces->at[i], most);
	return sum;
}

/* Filters @length bytes of @from to @to, or as many of its begin and its end as @most allows;
 * returns how many. */
static size_t copy(char *to, const char *from, size_t length, size_t most)
{
	const size_t begin = most > 3 ? (most - 3) / 2 : 0, end = most > 3 ? most - 3 - begin : 0;
	size_t left = visible_copy(to, most + 1, from, length, VISIBLE_NAME), at = 0, head;

	if (left <= most)
		return left;
	if (most <= 3)
		return 0;
	visible_copy(to, begin + 1, from, length, VISIBLE_NAME);
	head = strlen(to);
	memcpy(to + head, "...", 3);
	while (left > end) {
		const size_t size = visible_next(from + at, length - at).length;

		left -= visible_copy(NULL, 0, from + at, size, VISIBLE_NAME);
		at += size;
	}
	visible_copy(to + head + 3, left + 1, from + at, length - at, VISIBLE_NAME);
	return head + 3 + left;
}

static void join(const struct pieces *pieces, size_t most, const char *reason,
		 char made[ERR_TEXT_SIZE])
{
	size_t at = 0;

	for (size_t i = 0; i < pieces->count; i++) {
		const struct piece *piece = &pieces->at[i];
		size_t room = length_of(piece, most);

		at += copy(made + at, piece->at ? piece->at : piece->number, piece->length,
			   room < ROOM - at ? room : ROOM - at);
	}
	if (reason && ROOM - at > 2) {
		memcpy(made + at, ": ", 2);
		at += 2;
		at += copy(made + at, reason, strlen(reason), ROOM - at);
	}
	ASSERT(at <= ROOM);
	made[at] = '\0';
}

/* Makes the text of pieces, whose strings get as much room as there is. */
static void fit(char made[ERR_TEXT_SIZE], const char *reason, const char *fmt, va_list args)
{
	const size_t after = reason ? 2 + strlen(reason) : 0;
	struct pieces pieces = { .count = 0 };
	size_t most = ROOM;

	va_copy(pieces.args, args);
	split(&pieces, fmt);
	va_end(pieces.args);
	while (most > STRING_LEAST && length_of_all(&pieces, most) + after > ROOM)
		most--;
	join(&pieces, most, reason, made);
}

/* Formats what fits without being cut; false: it does not. */
static bool format_whole(char made[ERR_TEXT_SIZE], const char *reason, const char *fmt,
			 va_list args)
{
	int length = vsnprintf(made, ERR_TEXT_SIZE, fmt, args);

	if (length < 0 || (size_t)length + (reason ? 2 + strlen(reason) : 0) > ROOM)
		return false;
	if (reason)
		snprintf(made + length, (size_t)(ERR_TEXT_SIZE - length), ": %s", reason);
	return visible_copy(NULL, 0, made, strlen(made), VISIBLE_NAME) <= ROOM;
}

void err_text_format(char text[ERR_TEXT_SIZE], const char *reason, const char *fmt, va_list args)
{
	char made[ERR_TEXT_SIZE];
	va_list again;
	bool whole;

	va_copy(again, args);
	whole = format_whole(made, reason, fmt, again);
	va_end(again);
	if (!whole)
		fit(made, reason, fmt, args);
	visible_copy(text, ERR_TEXT_SIZE, made, strlen(made), VISIBLE_NAME);
}
