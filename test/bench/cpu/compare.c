/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Compares CPU devices: two sides (work.h) take turns with each kernel, so that
 * both see the same machine.
 *
 *	compare cpu|wall SET ROUNDS REPEATS REPEATS COMMAND... -- REFERENCE...
 *
 * runs the kernels of SET (work_set()), ROUNDS times each, spread over a few passes over
 * all of them: a machine's slow moment then costs each kernel some rounds, not one
 * kernel all. A side's time is its best one, per launch, of as many launches as it
 * is told to repeat: the processor time of all its threads (cpu), or the time on the
 * clock (wall). Prints a line per kernel, and how many times faster COMMAND was: the
 * geometric mean. Where the first two rows are one kernel in two shapes, there is a mean
 * with each of them.
 */
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "work.h"

enum { PASSES = 8 };

struct process {
	pid_t pid;
	FILE *orders, *answers;
	unsigned repeats;
};

static void start(struct process *process, char **command)
{
	int to[2], from[2];

	if (pipe2(to, O_CLOEXEC) || pipe2(from, O_CLOEXEC))
		work_fail("compare", "no pipes");
	process->pid = fork();
	if (!process->pid) {
		dup2(to[0], 0);
		dup2(from[1], 1);
		execvp(command[0], command);
		work_fail(command[0], "cannot be run");
	}
	close(to[0]);
	close(from[1]);
	process->orders = fdopen(to[1], "w");
	process->answers = fdopen(from[0], "r");
}

/* Nanoseconds per launch. */
static double measure(struct process *process, unsigned index, int wall)
{
	double times[2];

	fprintf(process->orders, "%u %u\n", index, process->repeats);
	fflush(process->orders);
	if (fscanf(process->answers, "%lf %lf", &times[0], &times[1]) != 2)
		work_fail("compare", "a side has failed");
	return times[wall] / process->repeats;
}

/* Lowers each side's @best by @rounds more rounds. */
static void compare(struct process sides[2], unsigned index, unsigned rounds, int wall,
		    double best[2])
{
	for (unsigned round = 0; round <= rounds; round++) {
		for (unsigned s = 0; s < 2; s++) {
			double time = measure(&sides[s], index, wall);

			if (round && time < best[s]) /* the first one is for warming up */
				best[s] = time;
		}
	}
}

static double print_ratio(unsigned index, const double best[2])
{
	printf("  %-26s %10.3f ms %10.3f ms  %8.2f\n", works[index].name, best[0] / 1e6,
	       best[1] / 1e6, best[1] / best[0]);
	return best[1] / best[0];
}

static int finish(struct process *process)
{
	int status;

	fclose(process->orders);
	fclose(process->answers);
	return waitpid(process->pid, &status, 0) != process->pid || status;
}

int main(int argc, char **argv)
{
	struct process sides[2] = { 0 };
	unsigned numbers[3], separator = 6, passes, set[MOST_WORKS], count, forms;
	double best[MOST_WORKS][2], shapes[2] = { 1, 1 }, product = 1;

	signal(SIGPIPE, SIG_IGN);
	while ((int)separator < argc && strcmp(argv[separator], "--") != 0)
		separator++;
	if ((int)separator >= argc - 1)
		return 2;
	count = work_set(argv[2], set);
	if (!count)
		work_fail(argv[2], "no set of kernels: gate, opencl, few, small or full");
	for (unsigned i = 0; i < 3; i++)
		numbers[i] = (unsigned)strtoul(argv[3 + i], NULL, 10);
	argv[separator] = NULL;
	sides[0].repeats = numbers[1];
	sides[1].repeats = numbers[2];
	start(&sides[0], argv + 6);
	start(&sides[1], argv + separator + 1);
	for (unsigned i = 0; i < count; i++)
		best[i][0] = best[i][1] = INFINITY;
	passes = numbers[0] < PASSES ? numbers[0] : PASSES;
	for (unsigned pass = 0; pass < passes; pass++)
		for (unsigned i = 0; i < count; i++)
			compare(sides, set[i], (numbers[0] + pass) / passes,
				!strcmp(argv[1], "wall"), best[i]);
	forms = strcmp(works[set[0]].kernel, works[set[1]].kernel) ? 1 : 2;
	for (unsigned i = 0; i < count; i++)
		*(i < forms ? &shapes[i] : &product) *= print_ratio(set[i], best[i]);
	for (unsigned i = 0; i < forms; i++)
		printf("  mean with %-27s %28.2f\n", works[set[i]].name,
		       pow(shapes[i] * product, 1.0 / (count - forms + 1)));
	return finish(&sides[0]) | finish(&sides[1]);
}
