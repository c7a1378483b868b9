/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Compares the process times of two commands in interleaved runs, which see the
 * same machine:
 *
 *	pairs RUNS COMMAND... -- REFERENCE...
 *
 * prints "median 12.3 ms (11.9-13.0), reference 12.1 ms (11.8-12.5), ratio
 * 1.017": medians with their quartiles, and the ratio of the medians. Both
 * commands' output is thrown away; one that fails ends the comparison with 1.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "times.h"

enum { MOST = 10000, WARM_UP = 3 };

static void child(char **command)
{
	int null = open("/dev/null", O_RDWR);

	dup2(null, 0);
	dup2(null, 1);
	execvp(command[0], command);
	perror(command[0]);
	_exit(127);
}

/* The milliseconds one run of @command takes. */
static double run(char **command)
{
	double start = now();
	pid_t pid = fork();
	int status;

	if (pid == 0)
		child(command);
	if (pid < 0 || waitpid(pid, &status, 0) < 0 || status) {
		fprintf(stderr, "pairs: %s failed\n", command[0]);
		exit(1);
	}
	return (now() - start) / 1e6;
}

static void describe(const char *what, const double *times, int count)
{
	printf("%s %.2f ms (%.2f-%.2f), ", what, times[count / 2], times[count / 4],
	       times[count * 3 / 4]);
}

int main(int argc, char **argv)
{
	static double first[MOST], second[MOST];
	int count = argc > 1 ? atoi(argv[1]) : 0;
	char **reference = argv + 2;

	while (*reference && strcmp(*reference, "--"))
		reference++;
	if (count < 1 || count > MOST || !*reference || !reference[1]) {
		fprintf(stderr, "usage: pairs RUNS COMMAND... -- REFERENCE...\n");
		return 2;
	}
	*reference++ = NULL;

	for (int i = -WARM_UP; i < count; i++) {
		double a = run(argv + 2), b = run(reference);

		if (i < 0)
			continue;
		first[i] = a;
		second[i] = b;
	}
	sort_times(first, count);
	sort_times(second, count);
	describe("median", first, count);
	describe("reference", second, count);
	printf("ratio %.3f, %d pairs\n", first[count / 2] / second[count / 2], count);
	return 0;
}
