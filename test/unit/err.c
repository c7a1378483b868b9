/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "err.h"
#include "tap.h"

static void test_set(void)
{
	struct err e = { 0 };

	strcpy(e.hint, "old");
	CHECK_INT(err_set(&e, GPURUN_FORMAT, "%d of %s", 3, "x"), GPURUN_FORMAT);
	CHECK_INT(e.code, GPURUN_FORMAT);
	CHECK_STR(e.text, "3 of x");
	CHECK_STR(e.hint, "");
	CHECK_INT(err_set(NULL, GPURUN_IO, "unread"), GPURUN_IO);
}

static void test_wrap_and_hint(void)
{
	struct err e = { 0 };

	err_set(&e, GPURUN_FORMAT, "inner");
	CHECK_INT(err_wrap(&e, "outer %d", 1), GPURUN_FORMAT);
	CHECK_STR(e.text, "outer 1: inner");
	CHECK_INT(err_hint(&e, "try %s", "again"), GPURUN_FORMAT);
	CHECK_STR(e.hint, "try again");
	CHECK_STR(e.text, "outer 1: inner");
}

static void test_long_texts(void)
{
	struct err e = { 0 };
	char text[2 * ERR_TEXT_SIZE];

	memset(text, 'a', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	err_set(&e, GPURUN_FORMAT, "%s", text);
	CHECK_INT(strlen(e.text), ERR_TEXT_SIZE - 1);
	err_wrap(&e, "b");
	CHECK(!strncmp(e.text, "b: aaa", 6));
	CHECK_INT(strlen(e.text), ERR_TEXT_SIZE - 1);
	for (size_t length = ERR_TEXT_SIZE - 6; length < ERR_TEXT_SIZE + 2; length++) {
		err_set(&e, GPURUN_FORMAT, "inner");
		err_wrap(&e, "%.*s", (int)length, text);
		CHECK(strlen(e.text) < ERR_TEXT_SIZE);
	}
}

/* Writes @length letters to @text: @first, then @letter, and @last. */
static const char *name(char *text, char first, char letter, char last, size_t length)
{
	memset(text, letter, length);
	text[0] = first;
	text[length - 1] = last;
	text[length] = '\0';
	return text;
}

/* What does not fit is taken from the middle of names; the reason, at the end, stays. */
static void test_long_names(void)
{
	char path[3 * ERR_TEXT_SIZE], kernel[3 * ERR_TEXT_SIZE];
	struct err e = { 0 };

	name(path, '<', 'p', '>', 1000);
	err_set(&e, GPURUN_IO, "%s: cannot open: %s", path, "No such file or directory");
	CHECK_INT(strlen(e.text), ERR_TEXT_SIZE - 1);
	CHECK_HAS(e.text, "<pp");
	CHECK_HAS(e.text, "p...p");
	CHECK_HAS(e.text, "p>: cannot open: No such file or directory");
	/* Those that are short stay whole. */
	name(kernel, '[', 'k', ']', 60);
	err_set(&e, GPURUN_IO, "%s: kernel %s has %d of %zu%%, %llu", path, kernel, -3, (size_t)4,
		5ull);
	CHECK_HAS(e.text, kernel);
	CHECK_HAS(e.text, "k] has -3 of 4%, 5");
	CHECK_INT(strlen(e.text), ERR_TEXT_SIZE - 1);
	/* Two long ones get the same room. */
	err_set(&e, GPURUN_IO, "%s and %.*s are one", path, 700, name(kernel, '[', 'k', ']', 700));
	CHECK_HAS(e.text, "p> and [k");
	CHECK_HAS(e.text, "k] are one");
	CHECK(strlen(e.text) >= ERR_TEXT_SIZE - 3);
	err_hint(&e, "say %s alone", path);
	CHECK_HAS(e.hint, "p> alone");
}

/* However many names go in front of it, the reason stays. */
static void test_long_wraps(void)
{
	char path[3 * ERR_TEXT_SIZE];
	struct err e = { 0 };

	name(path, '<', 'p', '>', 1200);
	err_set(&e, GPURUN_FORMAT, "the header is truncated: 3 bytes of 16");
	err_wrap(&e, "%s", path);
	CHECK_HAS(e.text, "p...p");
	CHECK_HAS(e.text, "p>: the header is truncated: 3 bytes of 16");
	CHECK_INT(strlen(e.text), ERR_TEXT_SIZE - 1);
	for (int i = 0; i < 4; i++) {
		CHECK_INT(err_wrap(&e, "--load %s", path), GPURUN_FORMAT);
		CHECK(!strncmp(e.text, "--load <pp", 10));
		CHECK_HAS(e.text, ": the header is truncated: 3 bytes of 16");
		CHECK_INT(strlen(e.text), ERR_TEXT_SIZE - 1);
	}
}

/* Every kind of conversion that messages have, where names around it are cut. */
static void test_conversions(void)
{
	char path[3 * ERR_TEXT_SIZE];
	struct err e = { 0 };

	name(path, '<', 'p', '>', 1200);
	err_set(&e, GPURUN_IO, "%s %d %i %u %x %#x %c %ld %lu %lld %llu %#llx %zu %02x %g %.3s|%.*s|%5d",
		path, -1, -2, 3u, 0xau, 0xbu, 'c', -4l, 5ul, -6ll, 7ull, 0xcull, (size_t)8, 9, 1.5,
		"abcdef", 2, "ghi", 10);
	CHECK_HAS(e.text, "p> -1 -2 3 a 0xb c -4 5 -6 7 0xc 8 09 1.5 abc|gh|   10");
	CHECK_INT(strlen(e.text), ERR_TEXT_SIZE - 1);
	err_set(&e, GPURUN_IO, "%s %p end", path, (void *)0x10);
	CHECK_HAS(e.text, "p> 0x10 end");
	/* One that is none of them ends the text. */
	err_set(&e, GPURUN_IO, "%s a %a end", path, 1.0);
	CHECK_HAS(e.text, "p> a ");
}

/* A character of several bytes is cut off whole. */
static void test_characters(void)
{
	char path[3 * ERR_TEXT_SIZE] = "";
	struct err e = { 0 };

	for (size_t shift = 0; shift < 3; shift++) {
		size_t at = shift;

		memset(path, 'x', shift);
		while (at < 1200)
			at += (size_t)snprintf(path + at, 4, "%s", "\342\202\254");
		err_set(&e, GPURUN_IO, "%s", path);
		CHECK(strlen(e.text) > ERR_TEXT_SIZE - 6);
		CHECK_HAS(e.text, "\342\202\254...\342\202\254");
	}
}

/* The text of an error may be inserted in it. */
static void test_itself(void)
{
	struct err e = { 0 };

	err_set(&e, GPURUN_IO, "inner");
	err_set(&e, GPURUN_FORMAT, "outer (%s)", e.text);
	CHECK_STR(e.text, "outer (inner)");
	err_hint(&e, "%s", e.text);
	CHECK_STR(e.hint, "outer (inner)");
}

static int fail(enum gpurun_status code, struct err *e)
{
	return err_set(e, code, "reason");
}

/* Where the text is not read, the status is passed on all the same. */
static void test_status_alone(void)
{
	CHECK_INT(err_wrap(NULL, "first"), GPURUN_INTERNAL);
	fail(GPURUN_IO, NULL);
	CHECK_INT(err_wrap(NULL, "file"), GPURUN_IO);
	CHECK_INT(err_wrap(NULL, "again"), GPURUN_IO);
	fail(GPURUN_NOT_FOUND, NULL);
	CHECK_INT(err_hint(NULL, "look there"), GPURUN_NOT_FOUND);
}

/* A hostile name neither moves the cursor nor fakes a second line. */
static void test_unprintable(void)
{
	struct err e = { 0 };

	err_set(&e, GPURUN_FORMAT, "kernel '%s'", "a\033[2Jb\nc\x7f\xc3\xa9");
	CHECK_STR(e.text, "kernel 'a\\x1b[2Jb\\x0ac\\x7f\xc3\xa9'");
	err_wrap(&e, "file\r");
	CHECK_STR(e.text, "file\\x0d: kernel 'a\\x1b[2Jb\\x0ac\\x7f\xc3\xa9'");
	err_hint(&e, "\t\xc2\x9b\xe2\x80\xae\xff");
	CHECK_STR(e.hint, "\\x09\\u009b\\u202e\\xff");
}

/* Names that grow when they are escaped leave room for what is said of them. */
static void test_unprintable_names(void)
{
	char path[3 * ERR_TEXT_SIZE], kernel[3 * ERR_TEXT_SIZE];
	struct err e = { 0 };

	for (size_t length = 30; length < 1200; length += 7) {
		name(path, '<', '\x1b', '>', length);
		name(kernel, '[', '\xff', ']', length);
		err_set(&e, GPURUN_IO, "%s: kernel %s cannot be read", path, kernel);
		CHECK(!strncmp(e.text, "<\\x1b\\x1b", 9));
		CHECK_HAS(e.text, "\\x1b>: kernel [\\xff");
		CHECK_HAS(e.text, "\\xff] cannot be read");
		CHECK(strlen(e.text) < ERR_TEXT_SIZE);
		err_wrap(&e, "%s", path);
		CHECK_HAS(e.text, "] cannot be read");
	}
}

int main(void)
{
	RUN(test_status_alone); /* before any other failure without text */
	RUN(test_set);
	RUN(test_wrap_and_hint);
	RUN(test_long_texts);
	RUN(test_long_names);
	RUN(test_long_wraps);
	RUN(test_conversions);
	RUN(test_characters);
	RUN(test_itself);
	RUN(test_unprintable);
	RUN(test_unprintable_names);
	return tap_end();
}
