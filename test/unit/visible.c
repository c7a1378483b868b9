/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdlib.h>

#include "cleanup.h"
#include "tap.h"
#include "visible.h"

/* Filters @size bytes of @text, which end where no more may be read. */
static const char *shown_of(const char *text, size_t size, enum visible_as as)
{
	static char shown[1 << 16];
	CLEANUP(free_pointer) char *exact = malloc(size + !size);
	size_t length;

	memcpy(exact, text, size);
	length = visible_copy(shown, sizeof(shown), exact, size, as);
	CHECK_INT(length, strlen(shown));
	return shown;
}

static const char *name_of(const char *text)
{
	return shown_of(text, strlen(text), VISIBLE_NAME);
}

/* Writes the UTF-8 of @code, also of what is no character. */
static const char *encode(unsigned code)
{
	static char text[5];

	memset(text, 0, sizeof(text));
	if (code < 0x80) {
		text[0] = (char)code;
	} else if (code < 0x800) {
		text[0] = (char)(0xc0 | code >> 6);
		text[1] = (char)(0x80 | (code & 0x3f));
	} else if (code < 0x10000) {
		text[0] = (char)(0xe0 | code >> 12);
		text[1] = (char)(0x80 | (code >> 6 & 0x3f));
		text[2] = (char)(0x80 | (code & 0x3f));
	} else {
		text[0] = (char)(0xf0 | code >> 18);
		text[1] = (char)(0x80 | (code >> 12 & 0x3f));
		text[2] = (char)(0x80 | (code >> 6 & 0x3f));
		text[3] = (char)(0x80 | (code & 0x3f));
	}
	return text;
}

/* The first and the last of each range that is escaped, and their neighbours. */
/* promise: A character of a name that a terminal obeys */
static void test_ranges(void)
{
	static const unsigned ranges[][2] = {
		{ 0x01, 0x1f },	    { 0x7f, 0x9f },	{ 0x61c, 0x61c },   { 0x200e, 0x200f },
		{ 0x2028, 0x202e }, { 0x2066, 0x2069 }, { 0xfffe, 0xffff },
	};
	char want[16];

	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
		for (unsigned code = ranges[i][0]; code <= ranges[i][1]; code++) {
			snprintf(want, sizeof(want), code < 0x80 ? "\\x%02x" : "\\u%04x", code);
			CHECK_STR(name_of(encode(code)), want);
		}
		for (int end = 0; end < 2; end++) {
			const unsigned beside = ranges[i][end] + (end ? 1 : -1u);

			snprintf(want, sizeof(want), "%s", encode(beside));
			CHECK_STR(name_of(want), want);
		}
	}
	CHECK_STR(shown_of("a\0b", 3, VISIBLE_NAME), "a\\x00b");
	CHECK_STR(shown_of("", 0, VISIBLE_NAME), "");
}

/* Languages, signs and what is longest stay, and so does a backslash. */
static void test_plain(void)
{
	static const char *const texts[] = {
		"a b~",		"\\x1b",	    "gr\xc3\xb6\xc3\237e", "\xce\xb1\xce\xb2",
		"\xe6\xa0\xb8", "\xf0\x9f\x98\x80", "\xef\xbf\xbd",	   "\xc2\xa0",
		"\xed\x9f\xbf", "\xee\x80\x80",	    "\xf4\x8f\xbf\xbf",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		CHECK_STR(name_of(texts[i]), texts[i]);
}

/* Bytes that are no UTF-8: cut off, too long, of no character, without a beginning. */
/* promise: A character of a name that a terminal obeys */
static void test_invalid(void)
{
	static const char *const rows[][2] = {
		{ "\x80", "\\x80" },
		{ "\x9b" "31m", "\\x9b31m" },
		{ "\xc3", "\\xc3" },
		{ "\xe2\x80", "\\xe2\\x80" },
		{ "\xf0\x9f\x98", "\\xf0\\x9f\\x98" },
		{ "\xc3(", "\\xc3(" },
		{ "\xe2\x80(", "\\xe2\\x80(" },
		{ "\xc0\x9b", "\\xc0\\x9b" },		  /* ESC in two bytes */
		{ "\xc1\xbf", "\\xc1\\xbf" },
		{ "\xe0\x82\x9b", "\\xe0\\x82\\x9b" },	  /* U+009B in three */
		{ "\xf0\x82\x80\xae", "\\xf0\\x82\\x80\\xae" },
		{ "\xed\xa0\x80", "\\xed\\xa0\\x80" },	  /* a surrogate */
		{ "\xed\xbf\xbf", "\\xed\\xbf\\xbf" },
		{ "\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80" }, /* beyond U+10FFFF */
		{ "\xf8\x88\x80\x80\x80", "\\xf8\\x88\\x80\\x80\\x80" },
		{ "\xff\xfe", "\\xff\\xfe" },
		{ "\xe2\xe2\x80\xae", "\\xe2\\u202e" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		CHECK_STR(name_of(rows[i][0]), rows[i][1]);
}

static void test_lines(void)
{
	const char *text = "a\tb\nc\r\x1b\n";

	CHECK_STR(name_of(text), "a\\x09b\\x0ac\\x0d\\x1b\\x0a");
	CHECK_STR(shown_of(text, strlen(text), VISIBLE_TEXT), "a\tb\nc\\x0d\\x1b\n");
}

/* Whatever room there is, no character and no escape is cut. */
static void test_room(void)
{
	const char *text = "a\x1b\xe2\x82\xac\xe2\x80\xae!";
	static const char *const want[] = {
		"", "a", "a", "a", "a", "a\\x1b", "a\\x1b", "a\\x1b", "a\\x1b\xe2\x82\xac",
	};
	const size_t all = strlen("a\\x1b\xe2\x82\xac\\u202e!");

	CHECK_INT(visible_copy(NULL, 0, text, strlen(text), VISIBLE_NAME), all);
	for (size_t room = 1; room <= sizeof(want) / sizeof(want[0]); room++) {
		char *to = malloc(room);

		CHECK_INT(visible_copy(to, room, text, strlen(text), VISIBLE_NAME), all);
		CHECK_STR(to, want[room - 1]);
		free(to);
	}
}

static void test_twice(void)
{
	char once[64];

	snprintf(once, sizeof(once), "%s", name_of("\x1b\xff\xe2\x80\xae\\"));
	CHECK_STR(once, "\\x1b\\xff\\u202e\\");
	CHECK_STR(name_of(once), once);
}

/* The newline that is meant is the format's. */
static void test_printf(void)
{
	CLEANUP(free_pointer) char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	visible_printf(to, "[%s] %d\n", "a\nb\x1b", 7);
	visible_printf(to, "%s", "c\n");
	visible_printf(to, "%s", "");
	visible_printf(to, "\n");
	visible_lines(to, "%s\n", "d\ne\r");
	fclose(to);
	CHECK_STR(text, "[a\\x0ab\\x1b] 7\nc\\x0a\nd\ne\\x0d\n");
}

/* Texts longer than any buffer on the way, with a character at each place in turn. */
static void test_long(void)
{
	static const char *const signs[][2] = {
		{ "\x1b", "\\x1b" },
		{ "\xe2\x80\xae", "\\u202e" },
		{ "\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80" },
	};
	char long_text[5001];

	for (size_t i = 0; i < 3; i++)
		for (size_t at = 1010; at < 1030; at++) {
			const size_t length = strlen(signs[i][0]);
			CLEANUP(free_pointer) char *want = NULL;
			CLEANUP(free_pointer) char *text = NULL;
			size_t size;
			FILE *to = open_memstream(&text, &size);

			memset(long_text, 'x', sizeof(long_text));
			long_text[sizeof(long_text) - 1] = '\0';
			long_text[0] = '\x07';
			memcpy(long_text + at, signs[i][0], length);
			visible_printf(to, "%s\n", long_text);
			visible_write(to, long_text, sizeof(long_text) - 1, VISIBLE_NAME);
			fclose(to);
			if (asprintf(&want, "\\x07%.*s%s%s", (int)at - 1, long_text + 1, signs[i][1],
				     long_text + at + length) < 0)
				abort();
			CHECK_INT(size, 2 * strlen(want) + 1);
			CHECK(!strncmp(text, want, strlen(want)));
			CHECK_INT(text[strlen(want)], '\n');
			CHECK_STR(text + strlen(want) + 1, want);
		}
}

int main(void)
{
	RUN(test_ranges);
	RUN(test_plain);
	RUN(test_invalid);
	RUN(test_lines);
	RUN(test_room);
	RUN(test_twice);
	RUN(test_printf);
	RUN(test_long);
	return tap_end();
}
