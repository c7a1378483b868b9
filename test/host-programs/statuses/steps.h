/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A program that does what its arguments say, one step each: STEP, or STEP:WHAT. A program has a
 * table of steps of its own beside these:
 *
 *	child ... end       a child of fork() does these, then ends with 0; its status is waited for
 *	thread ... end      another thread does, and is waited for
 *	times:N ... end     N times
 *	return:N            main() returns N
 *	exit:N, _exit:N, quick_exit:N, abort, signal:N    an end of the process
 *
 * A call that fails is printed, with its number. The program looks at nothing else, and ends with
 * 0 whatever has failed.
 */
#ifndef TRUST_STEPS_H
#define TRUST_STEPS_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define UNUSED __attribute__((unused))

struct step {
	const char *name;
	void (*run)(const char *what); /* "" where the step has no WHAT */
};

/* Ends the program with status 2, which is for a mistake in its arguments. */
static inline void wrong(const char *what)
{
	fprintf(stderr, "trust: what is %s?\n", what);
	_exit(2);
}

/* Prints @result of the call @name unless it is 0, and returns it. */
static inline int told(const char *name, int result)
{
	if (result) {
		printf("%s %d\n", name, result);
		fflush(stdout);
	}
	return result;
}

/* ---- The shape of a launch: KERNEL[,b=THREADS][,g=BLOCKS][,s=SHARED][,c=CLUSTER][,bad] ---- */

struct shape {
	char kernel[32];
	unsigned grid, block, shared, cluster;
	bool bad_stream;
};

UNUSED static struct shape shape(const char *what)
{
	struct shape s = { .grid = 1, .block = 1 };
	size_t length = strcspn(what, ",");

	snprintf(s.kernel, sizeof(s.kernel), "%.*s", (int)length, what);
	while (what[length]) {
		const char *part = what + length + 1;

		if (sscanf(part, "b=%u", &s.block) != 1 && sscanf(part, "g=%u", &s.grid) != 1 &&
		    sscanf(part, "s=%u", &s.shared) != 1 && sscanf(part, "c=%u", &s.cluster) != 1)
			s.bad_stream = !strncmp(part, "bad", 3) || (wrong(part), false);
		length += 1 + strcspn(part, ",");
	}
	return s;
}

/* Reads a file whose bytes the program keeps, with a NUL after them. */
UNUSED static void *file_read(const char *path, size_t *size)
{
	enum { LIMIT = 1 << 22 };
	FILE *file = fopen(path, "rb");
	char *data = calloc(1, LIMIT + 1);

	if (!file || !data)
		wrong(path);
	*size = fread(data, 1, LIMIT, file);
	fclose(file);
	return data;
}

/* ---- Steps of every program --------------------------------------------------------- */

static void step_exit(const char *what)
{
	exit(atoi(what));
}

static void step_exit_at_once(const char *what)
{
	_exit(atoi(what));
}

static void step_quick_exit(const char *what)
{
	quick_exit(atoi(what));
}

static void step_abort(const char *what)
{
	(void)what;
	abort();
}

static void step_signal(const char *what)
{
	raise(atoi(what));
}

static const struct step steps_of_all[] = {
	{ "exit", step_exit }, { "_exit", step_exit_at_once }, { "quick_exit", step_quick_exit },
	{ "abort", step_abort }, { "signal", step_signal }, { NULL, NULL },
};

/* ---- The program -------------------------------------------------------------------- */

struct words {
	const struct step *steps; /* the program's own; the last has no name */
	char **first, **last;     /* what is between */
};

static int step_status; /* of return:N */

/* Runs the step of a table that @word names, if there is one. */
static bool run_one(const struct step *step, const char *word)
{
	const size_t length = strcspn(word, ":");

	for (; step->name; step++) {
		if (strlen(step->name) != length || strncmp(step->name, word, length) != 0)
			continue;
		step->run(word[length] ? word + length + 1 : "");
		return true;
	}
	return false;
}

static void *run_words(void *argument);

/* The "end" of the bracket whose first word is @word. */
static char **end_of(char **word, char **last)
{
	int depth = 1;

	for (; word < last; word++) {
		depth += !strcmp(*word, "child") || !strcmp(*word, "thread") ||
			 !strncmp(*word, "times:", 6);
		if (!strcmp(*word, "end") && !--depth)
			return word;
	}
	wrong("a bracket without an end");
	return NULL;
}

/* In a child nothing is looked for that threads of the parent alone have. */
static bool in_child;
__attribute__((visibility("default"))) int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void)
{
	return in_child;
}

static void run_child(struct words *inside)
{
	const pid_t child = fork();
	int status = 0;

	if (!child) {
		in_child = true;
		run_words(inside);
		exit(step_status);
	}
	waitpid(child, &status, 0);
	told("child", WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
}

static void run_thread(struct words *inside)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, run_words, inside))
		wrong("a thread");
	pthread_join(thread, NULL);
}

static void *run_words(void *argument)
{
	const struct words *words = argument;

	for (char **word = words->first; word < words->last; word++) {
		struct words inside = { words->steps, word + 1, words->last };
		int times = !strncmp(*word, "times:", 6) ? atoi(*word + 6) : 0;

		if (!strncmp(*word, "return:", 7)) {
			step_status = atoi(*word + 7);
			return NULL;
		}
		if (run_one(words->steps, *word) || run_one(steps_of_all, *word))
			continue;
		if (!times && strcmp(*word, "child") != 0 && strcmp(*word, "thread") != 0)
			wrong(*word);
		word = inside.last = end_of(word + 1, words->last);
		if (times)
			while (times--)
				run_words(&inside);
		else if (inside.first[-1][0] == 'c')
			run_child(&inside);
		else
			run_thread(&inside);
	}
	return NULL;
}

/* Runs the arguments of a program, whose table ends with an empty row; its status. */
static inline int run_program(const struct step *steps, int argc, char **argv)
{
	struct words words = { steps, argv + 1, argv + argc };

	run_words(&words);
	return step_status;
}

#endif
