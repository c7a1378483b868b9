/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What the programs about the end of the process share: each test runs the
 * program again, which ends in some way or other. Its exit status says how many
 * things were not as they should; what it writes to stderr is compared too.
 */
#ifndef CONFORMANCE_ENDING_H
#define CONFORMANCE_ENDING_H

#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "kernels.h"

/* A way to end; main() hands its table to ending_main(). */
struct ending {
	const char *name;
	void (*leave)(void);
};

static int wrong TAP_UNUSED; /* what the ending process found wrong */

/* Prints what is wrong, for whoever reads the test's output. */
TAP_UNUSED static void expect(int got, int want, const char *what)
{
	if (got == want)
		return;
	wrong++;
	printf("# at exit: %s answers %d, not %d: %s\n", what, got, want,
	       gpurun_error_text());
	fflush(stdout);
}
#define EXPECT(call, want) expect(call, want, #call)

/* How a process ended. */
struct ended {
	int status;      /* of waitpid() */
	double seconds;
	char said[4096]; /* on stderr */
};

TAP_UNUSED static double ending_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Reads what was written into @fd, from the start, and closes it. */
TAP_UNUSED static void ending_read(int fd, char *text, size_t size)
{
	ssize_t length = pread(fd, text, size - 1, 0);

	text[length > 0 ? length : 0] = '\0';
	close(fd);
}

/* Runs this program again to end as @name says. */
TAP_UNUSED static struct ended ending_run(const char *name)
{
	struct ended ended = { .status = -1 };
	char path[] = "/tmp/gpurun-ending-XXXXXX";
	double start = ending_seconds();
	int fd = mkstemp(path);
	pid_t child;

	unlink(path);
	fflush(stdout);
	child = fork();
	if (!child) {
		dup2(fd, STDERR_FILENO);
		execl("/proc/self/exe", "ending", name, NULL);
		_exit(51);
	}
	waitpid(child, &ended.status, 0);
	ended.seconds = ending_seconds() - start;
	ending_read(fd, ended.said, sizeof(ended.said));
	return ended;
}

/* The process ends by itself with @code, in good time, and says nothing. */
TAP_UNUSED static void ends_with(const char *name, int code)
{
	struct ended ended = ending_run(name);

	if (!CHECK(WIFEXITED(ended.status)))
		printf("#   %s: wait status %#x\n", name, (unsigned)ended.status);
	CHECK_INT(WEXITSTATUS(ended.status), code);
	CHECK_STR(ended.said, "");
	CHECK(ended.seconds < 9); /* the exit hook's own limit is 10 */
}

/* Ends as the command line says; returns when it says nothing: the tests are to run. */
TAP_UNUSED static void ending_leave(int argc, char **argv, const struct ending *endings,
				    size_t count)
{
	for (size_t i = 0; argc > 1 && i < count; i++)
		if (!strcmp(argv[1], endings[i].name)) {
			endings[i].leave();
			_exit(52);
		}
	if (argc > 1)
		_exit(53);
}
#define ENDING_LEAVE(argc, argv, endings)                                                  \
	ending_leave(argc, argv, endings, sizeof(endings) / sizeof((endings)[0]))

/* The ending program comes up, or is as good as dead. */
TAP_UNUSED static void ending_up(void)
{
	if (!up())
		_exit(50);
}

/* Launches a kernel that never ends. */
TAP_UNUSED static void launch_endless(struct gpurun_stream stream)
{
	uint64_t mine = alloc(8), never = mine + 4;
	void *args[] = { &mine, &never };

	EXPECT(gpurun_memory_fill(mine, 0, 4, 2, no_stream), GPURUN_OK);
	EXPECT(launch1(kernel_of(load(), "meet"), stream, args), GPURUN_OK);
}

#endif
