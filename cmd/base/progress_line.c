/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "progress_line.h"

#include <stdio.h>
#include <string.h>

#include "asserts.h"
#include "line_rank.h"
#include "visible.h"

enum {
	NAME_SHOWN = 768, /* bytes of a name, at most */
	NAME_LEAST = 8,	  /* columns; with less room there is no name */
	MB = 1000 * 1000,
};

static const char cut[] = "…";

static size_t columns_of(const struct visible_char *character)
{
	return character->length > 1 ? 2 : 1;
}

static size_t count_columns(const char *text)
{
	size_t count = 0;

	for (size_t left = strlen(text); left;) {
		const struct visible_char next = visible_next(text, left);

		count += columns_of(&next);
		text += next.length;
		left -= next.length;
	}
	return count;
}

/* The bytes at the start of @text that have at most so many columns. */
static size_t bytes_within(const char *text, size_t columns)
{
	size_t at = 0;

	for (size_t left = strlen(text); left;) {
		const struct visible_char next = visible_next(text + at, left);

		if (columns_of(&next) > columns)
			break;
		columns -= columns_of(&next);
		at += next.length;
		left -= next.length;
	}
	return at;
}

/* Writes @name to @shown in at most so many columns, without its middle where it is longer. */
static void shorten(const char *name, size_t columns, char *shown, size_t size)
{
	const char *tail = name;
	size_t left = count_columns(name), head, room;

	*shown = '\0';
	if (left <= columns) {
		snprintf(shown, size, "%s", name);
		return;
	}
	if (columns < NAME_LEAST)
		return;
	room = columns - 2; /* the mark may be so wide */
	head = bytes_within(name, room / 2);
	while (left > room - room / 2) {
		const struct visible_char next = visible_next(tail, strlen(tail));

		left -= columns_of(&next);
		tail += next.length;
	}
	snprintf(shown, size, "%.*s%s%s", (int)head, name, cut, tail);
}

/* How far it is, and since when. */
static void write_tail(const struct progress *progress, char *text, size_t size)
{
	const unsigned long long done = progress->done, total = progress->total;
	const unsigned long long seconds = progress->seconds;

	if (progress->kind == PROGRESS_SCAN && total >= MB)
		snprintf(text, size, ": %llu of %llu MB, %llu s", done / MB, total / MB, seconds);
	else if (progress->kind == PROGRESS_PREPARE && total > 1)
		snprintf(text, size, ": launch %llu of %llu, %llu s", done, total, seconds);
	else if (progress->kind == PROGRESS_RUN && total)
		snprintf(text, size, ": %llu of %llu block%s, %llu s", done, total,
			 total == 1 ? "" : "s", seconds);
	else if (progress->kind == PROGRESS_TIME && done)
		snprintf(text, size, ": %llu run%s, %llu s", done, done == 1 ? "" : "s", seconds);
	else if (progress->kind == PROGRESS_REPEAT)
		snprintf(text, size, ": run %llu of %llu, %llu s", done, total, seconds);
	else
		snprintf(text, size, ": %llu s", seconds);
}

void progress_line(const struct progress *progress, size_t columns, char line[PROGRESS_LINE])
{
	static const char *const heads[] = {
		[PROGRESS_NONE] = "",
		[PROGRESS_SCAN] = "scanning ",
		[PROGRESS_LOAD] = "loading ",
		[PROGRESS_PREPARE] = "preparing ",
		[PROGRESS_RUN] = "running ",
		[PROGRESS_TIME] = "timing ",
		[PROGRESS_REPEAT] = "repeating ",
	};
	char head[48], name[NAME_SHOWN], shown[NAME_SHOWN + sizeof(cut)], tail[100];
	size_t rest;

	ASSERT(progress->kind != PROGRESS_NONE && progress->name);
	snprintf(head, sizeof(head), "gpurun: %s%s", line_rank(), heads[progress->kind]);
	visible_copy(name, sizeof(name), progress->name, strlen(progress->name), VISIBLE_NAME);
	write_tail(progress, tail, sizeof(tail));
	rest = strlen(head) + strlen(tail);
	shorten(name, columns > rest ? columns - rest : 0, shown, sizeof(shown));
	snprintf(line, PROGRESS_LINE, "%s%s%s", head, shown, tail);
	if (!*shown && columns < rest) /* all of it is ASCII */
		line[columns] = '\0';
}
