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

/* A hostile name neither moves the cursor nor fakes a second line. */
static void test_unprintable(void)
{
	struct err e = { 0 };

	err_set(&e, GPURUN_FORMAT, "kernel '%s'", "a\033[2Jb\nc\x7f\xc3\xa9");
	CHECK_STR(e.text, "kernel 'a?[2Jb?c?\xc3\xa9'");
	err_wrap(&e, "file\r");
	CHECK(!strncmp(e.text, "file?: kernel", 13));
	err_hint(&e, "\t");
	CHECK_STR(e.hint, "?");
}

int main(void)
{
	RUN(test_set);
	RUN(test_wrap_and_hint);
	RUN(test_long_texts);
	RUN(test_unprintable);
	return tap_end();
}
