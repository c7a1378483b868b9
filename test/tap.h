/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What a C test needs. A program is a row of RUN(test_name) and ends with
 * tap_end(); each test is a static void function that CHECKs. The output is
 * TAP ("ok - name", "not ok - name", "ok - name # SKIP reason"); the exit
 * status is 0, 1 after a failure, 77 when the whole program was skipped.
 *
 *	static void test_empty(void)
 *	{
 *		CHECK_INT(fatbin_open((struct bytes){ 0 }, &fatbin, NULL), GPURUN_FORMAT);
 *	}
 *
 *	int main(void)
 *	{
 *		RUN(test_empty);
 *		return tap_end();
 *	}
 *
 * A failed CHECK tells where and with which values, and the test goes on;
 * REQUIRE returns from it. Reasons to skip that strict mode accepts begin with
 * "needs a GPU", "needs a processor with", "needs NVIDIA's toolkit" or "needs PACKAGE", one of
 * test/packages.
 */
#ifndef TEST_TAP_H
#define TEST_TAP_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TAP_UNUSED __attribute__((unused))

static struct {
	bool failed;      /* the running test */
	const char *skip; /* why the running test is skipped; NULL when it is not */
	int failures;     /* tests so far */
	const char *only; /* the test to run; NULL: all */
} tap TAP_UNUSED;

/* Notes a failure of the running test; the rest of the line says which. */
TAP_UNUSED static bool tap_check(bool good, const char *file, int line, const char *what)
{
	if (good)
		return true;
	tap.failed = true;
	printf("# %s:%d: %s\n", file, line, what);
	return false;
}

TAP_UNUSED static bool tap_check_int(long long got, long long want, const char *file, int line,
				     const char *what)
{
	if (tap_check(got == want, file, line, what))
		return true;
	printf("#   got %lld (%#llx), want %lld (%#llx)\n", got, got, want, want);
	return false;
}

TAP_UNUSED static bool tap_check_str(const char *got, const char *want, const char *file,
				     int line, const char *what)
{
	bool same = got && want ? !strcmp(got, want) : got == want;

	if (tap_check(same, file, line, what))
		return true;
	printf("#   got  \"%s\"\n#   want \"%s\"\n", got ? got : "(null)",
	       want ? want : "(null)");
	return false;
}

#define CHECK(condition) tap_check(condition, __FILE__, __LINE__, #condition)
#define CHECK_INT(got, want) tap_check_int(got, want, __FILE__, __LINE__, #got " == " #want)
#define CHECK_STR(got, want) tap_check_str(got, want, __FILE__, __LINE__, #got " == " #want)
#define CHECK_HAS(text, part) tap_check_has(text, part, __FILE__, __LINE__, #text)
#define REQUIRE(condition)                                                                 \
	do {                                                                               \
		if (!CHECK(condition))                                                     \
			return;                                                            \
	} while (0)

TAP_UNUSED static bool tap_check_has(const char *text, const char *part, const char *file,
				     int line, const char *what)
{
	if (tap_check(text && strstr(text, part), file, line, what))
		return true;
	printf("#   got  \"%s\"\n#   want \"%s\" in it\n", text ? text : "(null)", part);
	return false;
}

/* Skips the running test. */
#define SKIP(reason)                                                                       \
	do {                                                                               \
		tap.skip = (reason);                                                       \
		return;                                                                    \
	} while (0)

/* Runs the test that the command line names and no other, if it names one. */
TAP_UNUSED static void tap_only(int argc, char **argv)
{
	tap.only = argc > 1 ? argv[1] : NULL;
}

/* How many times slower than by itself the program runs: $TEST_SLOWER, where a tool that the
 * build or the run has in it makes it so; else 1. For limits of time and memory. */
static inline int slower(void)
{
	const char *text = getenv("TEST_SLOWER");

	return text && *text ? atoi(text) : 1;
}

/* Runs one test and prints its line; with $TEST_ONLY, the test of that name alone. */
#define RUN(test) tap_run(test, #test)
TAP_UNUSED static void tap_run(void (*test)(void), const char *name)
{
	if (!tap.only)
		tap.only = getenv("TEST_ONLY");
	if (tap.only && strcmp(tap.only, name) != 0)
		return;
	tap.failed = false;
	tap.skip = NULL;
	test();
	tap.failures += tap.failed;
	printf("%s - %s%s%s\n", tap.failed ? "not ok" : "ok", name, tap.skip ? " # SKIP " : "",
	       tap.skip ? tap.skip : "");
	fflush(stdout);
}

/* Skips the whole program: return its result from main. */
TAP_UNUSED static int tap_skip_all(const char *reason)
{
	printf("ok - all # SKIP %s\n", reason);
	return 77;
}

/* The exit status of the program. */
TAP_UNUSED static int tap_end(void)
{
	return tap.failures ? 1 : 0;
}

/* Reads a whole file of at most 64 MiB; exits when it cannot. The caller frees it. */
TAP_UNUSED static uint8_t *tap_read(const char *path, size_t *size)
{
	const size_t limit = (size_t)64 << 20;
	FILE *file = fopen(path, "rb");
	uint8_t *data = malloc(limit);

	if (!file || !data) {
		printf("not ok - cannot read %s\n", path);
		exit(1);
	}
	*size = fread(data, 1, limit, file);
	fclose(file);
	return data;
}

#endif
