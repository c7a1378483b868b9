/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * cudart_names LIBRARY [OTHER]: reads names of functions from standard input and calls each of the
 * library's with arguments that are all zero, in a process of its own: before anything else,
 * with a device, and once the runtime has ended. What is refused has to answer so each time.
 * Then, with another library of the same interface, that both give errors the same names.
 * Prints TAP.
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOT_SUPPORTED = 801, MOST_SECONDS = 60 };

/* What zeros make of any parameters: all that a processor passes in registers, and more. */
typedef int any_fn(long, long, long, long, long, long, long, long, long, long, long, long, long,
		   long, long, long, long, long, long, long);
#define ZEROS 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0

static const char *const refused[] = {
#define CUDART(name, state, params, call)
#define CUDART_REFUSED(name) #name,
#define CUDART_REFUSED_PTSZ(name) #name, #name "_ptsz",
#define CUDART_REFUSED_PTDS(name) #name, #name "_ptds",
#include "cudart_api.def"
};

static void *library;
static bool failed;

static void *symbol(void *from, const char *name)
{
	void *found = dlsym(from, name);

	if (!found) {
		printf("#   %s is not there\n", name);
		exit(1);
	}
	return found;
}

static bool is_refused(const char *name)
{
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		if (!strcmp(refused[i], name))
			return true;
	return false;
}

/* This one's result is a structure: the caller has to have a place for it. */
static void call_with_place(const char *name)
{
	struct place {
		int members[5];
	} (*function)(int, int, int, int, int);

	*(void **)&function = symbol(library, name);
	(void)function(0, 0, 0, 0, 0);
}

static const char *name;
static const char *when;

static void call(const char *now)
{
	any_fn *function;
	int result;

	when = now;
	if (!strcmp(name, "cudaCreateChannelDesc")) {
		call_with_place(name);
		return;
	}
	*(void **)&function = symbol(library, name);
	result = function(ZEROS);
	if (is_refused(name) && result != NOT_SUPPORTED) {
		printf("#   %s, %s: %d\n", name, when, result);
		fflush(stdout);
		_exit(1);
	}
}

static void call_ended(void)
{
	call("at the end");
}

static void start(void)
{
	any_fn *function;

	*(void **)&function = symbol(library, "cudaFree");
	if (function(ZEROS)) {
		printf("#   cudaFree(0) does not start the runtime\n");
		fflush(stdout);
		_exit(1);
	}
}

static void in_child(void)
{
	alarm(MOST_SECONDS);
	atexit(call_ended);
	call("first of all");
	start();
	call("with a device");
	exit(0);
}

static void try(void)
{
	pid_t child;
	int status;

	fflush(stdout);
	child = fork();
	if (!child)
		in_child();
	if (child < 0 || waitpid(child, &status, 0) < 0 || status) {
		printf("#   %s: %s %d\n", name, WIFSIGNALED(status) ? "signal" : "status",
		       WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
		failed = true;
	}
}

typedef const char *name_fn(int);

static void compare_names(void *other)
{
	name_fn *ours, *theirs;
	bool differ = false;

	*(void **)&ours = symbol(library, "cudaGetErrorName");
	*(void **)&theirs = symbol(other, "cudaGetErrorName");
	for (int i = -1; i <= 1000; i++)
		if (strcmp(ours(i), theirs(i)) != 0) {
			printf("#   %d: %s, theirs %s\n", i, ours(i), theirs(i));
			differ = true;
		}
	printf("%s - errors have the names that NVIDIA's gives them\n", differ ? "not ok" : "ok");
	failed |= differ;
}

int main(int argc, char **argv)
{
	char line[120];
	int count = 0;
	void *other = argc > 2 ? dlopen(argv[2], RTLD_NOW | RTLD_LOCAL) : NULL;

	library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
	if (!library || (argc > 2 && !other)) {
		printf("# %s\n", dlerror());
		return 1;
	}
	for (; scanf("%119s", line) == 1; count++) {
		name = line;
		try();
	}
	printf("%s - each of %d functions answers to zeros, at any time\n",
	       failed || !count ? "not ok" : "ok", count);
	if (other)
		compare_names(other);
	return failed || !count;
}
