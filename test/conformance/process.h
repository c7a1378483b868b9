/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What the programs about the end of the process share, whatever they use: each test
 * runs the program again, which ends in some way or other. Its exit status says how
 * many things were not as they should; what it writes to stderr is compared too.
 */
#ifndef CONFORMANCE_PROCESS_H
#define CONFORMANCE_PROCESS_H

#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tap.h"

/* A way to end; main() hands its table to ENDING_LEAVE(). */
struct ending {
	const char *name;
	void (*leave)(void);
};

static int wrong TAP_UNUSED; /* what the ending process found wrong */

/* How a process ended. */
struct ended {
	int status;      /* of waitpid() */
	int left;        /* driver objects that the stub misses; -1: on another driver */
	double seconds;
	char said[4096]; /* on stderr */
};

TAP_UNUSED static double ending_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Reads what was written into @path and takes the file away. */
TAP_UNUSED static void ending_read(const char *path, char *text, size_t size)
{
	FILE *file = fopen(path, "r");
	size_t length = file ? fread(text, 1, size - 1, file) : 0;

	text[length] = '\0';
	if (file)
		fclose(file);
	unlink(path);
}

/* The last line of the stub's report is "N left". */
TAP_UNUSED static int ending_left(const char *path)
{
	char text[4096];
	char *line = text;
	int left = -1;

	ending_read(path, text, sizeof(text));
	do
		sscanf(line, "%d left", &left);
	while ((line = strchr(line, '\n')) && *++line);
	return left;
}

/* Runs this program again to end as @name says. */
TAP_UNUSED static struct ended ending_run(const char *name)
{
	struct ended ended = { .status = -1, .left = -1 };
	char said[] = "/tmp/gpurun-said-XXXXXX", left[] = "/tmp/gpurun-left-XXXXXX";
	double start = ending_seconds();
	pid_t child;

	close(mkstemp(left));
	close(mkstemp(said));
	fflush(stdout);
	child = fork();
	if (!child) {
		setenv("GPURUN_STUB_LEAKS", left, 1);
		if (freopen(said, "w", stderr))
			execl("/proc/self/exe", "ending", name, NULL);
		_exit(51);
	}
	waitpid(child, &ended.status, 0);
	ended.seconds = ending_seconds() - start;
	ended.left = ending_left(left);
	ending_read(said, ended.said, sizeof(ended.said));
	return ended;
}

/* The process ends by itself with @code, in good time, and says nothing. */
TAP_UNUSED static struct ended ends_leaving(const char *name, int code)
{
	struct ended ended = ending_run(name);

	if (!CHECK(WIFEXITED(ended.status)))
		printf("#   %s: wait status %#x\n", name, (unsigned)ended.status);
	CHECK_INT(WEXITSTATUS(ended.status), code);
	CHECK_STR(ended.said, "");
	CHECK(ended.seconds < 9); /* the exit hook's own limit is 10 */
	return ended;
}

/* And it leaves nothing behind in the driver. */
TAP_UNUSED static void ends_with(const char *name, int code)
{
	if (!CHECK(ends_leaving(name, code).left <= 0))
		printf("#   %s: something is left\n", name);
}

/* Tells whether the driver is the stub, which runs no kernels. */
TAP_UNUSED static bool on_stub(void)
{
	const char *driver = getenv("GPURUN_DRIVER");

	return driver && strstr(driver, "libcuda-stub");
}

/* Ends as the command line says; false when it says nothing: the tests are to run. A
 * way that returns ends by returning from main. */
TAP_UNUSED static bool ending_leave(int argc, char **argv, const struct ending *endings,
				    size_t count)
{
	if (argc < 2)
		return false;
	for (size_t i = 0; i < count; i++)
		if (!strcmp(argv[1], endings[i].name)) {
			endings[i].leave();
			return true;
		}
	_exit(53);
}
#define ENDING_LEAVE(argc, argv, endings)                                                  \
	ending_leave(argc, argv, endings, sizeof(endings) / sizeof((endings)[0]))

#endif
