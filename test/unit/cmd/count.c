/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What the launches of a line execute, as a child counts it: what it is started with, what comes
 * of it, and what is said where nothing does. The child is this program, which becomes the command.
 */
#include "count.h"

#include <libgen.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cleanup.h"
#include "options.h"
#include "tap.h"

#define COUNT "test/data/count/"
#define KILLED "TEST_COUNT_KILLED"

/* Vectors of 128 numbers, of which 100 are computed: see the kernel's file. */
#define SAXPY COUNT "saxpy.ptx", "--launch", "saxpy", "-g", "2", "-b", "64", "-a", "x=f32:128", \
	      "-a", "y=f32:128", "-a", "2.0", "-a", "100"

static const struct counted saxpy = { { [COUNTED_GLOBAL_READ] = 800, [COUNTED_GLOBAL_WRITTEN] = 400,
					[COUNTED_F32] = 200, [COUNTED_INTEGER] = 640 } };

static int count(const char *const *words, struct counted *counted, size_t launches, struct err *e)
{
	CLEANUP(options_release) struct options options = { 0 };
	const char *argv[40] = { "gpurun" };
	int argc = 1;

	for (; *words; words++)
		argv[argc++] = *words;
	*e = (struct err){ 0 };
	if (!CHECK(argc < 40) || !CHECK_INT(options_parse(argc, (char **)argv, &options, e), 0))
		return -1;
	return count_launches(&options, counted, launches, e);
}

static void same(const struct counted *got, const struct counted *want)
{
	for (unsigned i = 0; i < COUNTED_KINDS; i++)
		if (!CHECK_INT(got->at[i], want->at[i]))
			printf("# of kind %u\n", i);
}

/* Counts a line of one saxpy. */
static void counts_saxpy(const char *const *words)
{
	struct counted counted;
	struct err e;

	if (!CHECK_INT(count(words, &counted, 1, &e), 0))
		printf("# %s\n", e.text);
	else
		same(&counted, &saxpy);
}

#define COUNTS(...) counts_saxpy((const char *const[]){ __VA_ARGS__, NULL })

static void test_launches(void)
{
	const char *const words[] = { SAXPY, "--launch", "saxpy", "-b", "64", "-a", "x", "-a", "y",
				      "-a", "1.5", "-a", "0", NULL };
	struct counted counted[2];
	struct err e;

	if (!CHECK_INT(count(words, counted, 2, &e), 0)) {
		printf("# %s\n", e.text);
		return;
	}
	same(&counted[0], &saxpy);
	same(&counted[1], &(struct counted){ { [COUNTED_INTEGER] = 320 } });
}

/* The child's device is not that of the line, but for the keys of the CPU device. */
static void test_device(void)
{
	COUNTS(SAXPY, "-d", "gpu");
	COUNTS(SAXPY, "-dcpu:threads=2,scalar=0");
	COUNTS(SAXPY, "--device=cpu:count=0,check=mem,init");
	setenv("GPURUN_NO_DEVICE_EXIT", "77", 1);
	setenv("GPURUN_CHECK", "nothing", 1);
	COUNTS(SAXPY);
	unsetenv("GPURUN_NO_DEVICE_EXIT");
	unsetenv("GPURUN_CHECK");
}

/* Nothing is written or printed, wherever the option is on the line. */
static void test_left_out(void)
{
	const char *const file = "/tmp/gpurun-count.json";
	char json[64], trace[64];

	unlink(file);
	snprintf(json, sizeof(json), "--json=%s", file);
	snprintf(trace, sizeof(trace), "--trace=%s", file);
	COUNTS(json, "-vo", "y=/tmp/gpurun-count.json", SAXPY, "--print", "y", "-qv");
	COUNTS(SAXPY, "--junit", file, trace, "--out", "y=/tmp/gpurun-count.json", "--lock");
	CHECK_INT(access(file, F_OK), -1);
	/* What differs from the other device's results is no failure. */
	COUNTS(SAXPY, "-e", "y=fill=7", "--atol", "1");
}

/* Counts a line that fails: its status and hint; the text after that of all. */
static void fails(const char *const *words, enum gpurun_status status, const char *text,
		  const char *hint)
{
	struct counted counted[1];
	struct err e;

	CHECK_INT(count(words, counted, 1, &e), status);
	CHECK_HAS(e.text, "counting on the CPU device: ");
	CHECK_HAS(e.text, text);
	CHECK_HAS(e.hint, hint);
}

#define FAILS(status, text, hint, ...) \
	fails((const char *const[]){ __VA_ARGS__, NULL }, GPURUN_##status, text, hint)
#define BY_HAND "bytes=N, flops=N give its numbers by hand"

static void test_machine_code(void)
{
	FAILS(NO_IMAGE, "no image for the CPU device; it holds sm_90 SASS", "the CPU device runs PTX alone: " BY_HAND,
	      "test/data/images/counter.cubin", "--launch", "bump", "-a", "u32:1");
}

static void test_fault(void)
{
	FAILS(FAULT, "saxpy", "--check all says more; " BY_HAND, COUNT "saxpy.ptx", "--launch",
	      "saxpy", "-b", "64", "-a", "x=f32:8", "-a", "y=f32:64", "-a", "2.0", "-a", "64");
}

static void test_timeout(void)
{
	FAILS(FAULT, "timed out after 0.24 s", "-t gives it more time; " BY_HAND,
	      COUNT "endless.ptx", "--launch", "endless", "-t", "300ms");
}

static void test_usage(void)
{
	FAILS(NOT_FOUND, "no kernel 'other'; there is saxpy", BY_HAND, COUNT "saxpy.ptx", "--launch", "other");
	FAILS(INVALID, "stdin cannot be read a second time", BY_HAND, "-", "--launch", "saxpy");
	FAILS(INVALID, "stdin cannot be read a second time", BY_HAND, SAXPY, "--fill", "x=@-");
}

static void test_killed(void)
{
	setenv(KILLED, "1", 1);
	FAILS(FAULT, "ended by signal 9 (Killed)", BY_HAND, SAXPY);
	unsetenv(KILLED);
}

static void test_too_few(void)
{
	const char *const words[] = { SAXPY, NULL };
	struct counted counted[2];
	struct err e;

	CHECK_INT(count(words, counted, 2, &e), GPURUN_INTERNAL);
	CHECK_STR(e.text, "counting on the CPU device: 1 of 2 launches were counted");
}

/* The command of this build, in the place of the child. */
static int become_command(char **argv)
{
	char path[PATH_MAX + 32];
	ssize_t size = readlink("/proc/self/exe", path, PATH_MAX);

	if (size < 0 || getenv(KILLED))
		raise(SIGKILL);
	path[size] = '\0';
	dirname(path);
	strcat(path, "/../../../bin/gpurun");
	execv(path, argv);
	return 125;
}

int main(int argc, char **argv)
{
	if (argc > 1)
		return become_command(argv);
	RUN(test_launches);
	RUN(test_device);
	RUN(test_left_out);
	RUN(test_machine_code);
	RUN(test_fault);
	RUN(test_timeout);
	RUN(test_usage);
	RUN(test_killed);
	RUN(test_too_few);
	return tap_end();
}
