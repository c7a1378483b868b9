/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A program that is linked with a substitute for NVIDIA's static runtime. It prints what work()
 * returns, two times. With a word it does something else:
 *
 *	fork             a child first, then the process itself
 *	threads          8 threads at once: the highest that one gets
 *	load LIB         library_work() of a library that it opens; deep LIB: with RTLD_DEEPBIND
 *	elsewhere LIB    the same of a library in a namespace of its own
 *	reload LIB       the same 60 times, while 4 threads work: by how many mappings it has grown
 *	both             the same of a library that it is linked with
 *	newer            cudaFooBar(), two times
 *	mdwe PROGRAM     that one, which may make no memory executable that was not
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 8, TIMES = 60, SET_MDWE = 65, REFUSE_EXEC_GAIN = 1, NO_MDWE = 77 };

int work(void);
int library_work(void) __attribute__((weak));
int cudaFooBar(void) __attribute__((weak));

static const char *file; /* the last word */

static int print_two(void)
{
	const int first = work(), second = work();

	printf("%d %d\n", first, second);
	return 0;
}

static int in_a_child(void)
{
	int status = 1;
	const pid_t child = fork();

	if (!child) {
		print_two();
		fflush(stdout);
		_exit(0);
	}
	waitpid(child, &status, 0);
	return status ? 1 : print_two();
}

static atomic_int highest;

static void *work_once(void *unused)
{
	int got = work(), before = highest;

	while (got > before && !atomic_compare_exchange_weak(&highest, &before, got))
		;
	return unused;
}

static int in_threads(void)
{
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work_once, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("%d\n", highest);
	return 0;
}

/* Opens the library, works in it and, @close, closes it. */
static int work_in(int flags, int close)
{
	void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL | flags);
	int (*function)(void) = library ? (int (*)(void))dlsym(library, "library_work") : NULL;
	const int got = function ? function() : -9999;

	if (library && close)
		dlclose(library);
	return got;
}

static int load(void)
{
	const int first = work_in(0, 0), second = work();

	printf("%d %d\n", first, second);
	return 0;
}

static int load_deep(void)
{
	const int first = work_in(RTLD_DEEPBIND, 0), second = work();

	printf("%d %d\n", first, second);
	return 0;
}

static int load_elsewhere(void)
{
	void *library = dlmopen(LM_ID_NEWLM, file, RTLD_NOW | RTLD_LOCAL);
	int (*function)(void) = library ? (int (*)(void))dlsym(library, "library_work") : NULL;
	const int first = function ? function() : -9999, second = work();

	printf("%d %d\n", first, second);
	return 0;
}

static atomic_bool stop;

static void *work_on(void *failed)
{
	while (!stop)
		if (work() < 1)
			*(atomic_bool *)failed = true;
	return NULL;
}

/* Of code that gpurun has put there. */
static int count_mappings(void)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[4096];
	int count = 0;

	while (maps && fgets(line, sizeof(line), maps))
		count += strstr(line, "gpurun start") != NULL;
	if (maps)
		fclose(maps);
	return count;
}

static int reload(void)
{
	static atomic_bool failed;
	pthread_t threads[4];
	const int before = count_mappings();
	int wrong = 0;

	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, work_on, &failed);
	for (int i = 0; i < TIMES; i++)
		wrong += work_in(0, 1) != 1;
	stop = true;
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	printf("%d wrong, %s, %d more of %s\n", wrong, failed ? "threads failed" : "threads right",
	       count_mappings() - before, before ? "some" : "none");
	return 0;
}

static int both(void)
{
	const int first = library_work(), second = work();

	printf("%d %d\n", first, second);
	return 0;
}

static int call_newer(void)
{
	const int first = cudaFooBar(), second = cudaFooBar();

	printf("%d %d %d\n", first, second, work());
	return 0;
}

static int under_mdwe(void)
{
	if (prctl(SET_MDWE, REFUSE_EXEC_GAIN, 0, 0, 0))
		return NO_MDWE;
	execl(file, file, (char *)NULL);
	return 1;
}

static const struct {
	const char *word;
	int (*function)(void);
} rows[] = {
	{ "", print_two },	{ "fork", in_a_child },	{ "threads", in_threads },
	{ "load", load },	{ "deep", load_deep },	{ "reload", reload },
	{ "both", both },	{ "newer", call_newer }, { "mdwe", under_mdwe },
	{ "elsewhere", load_elsewhere },
};

int main(int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : "";

	file = argv[argc - 1];
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (!strcmp(word, rows[i].word))
			return rows[i].function();
	return 2;
}
