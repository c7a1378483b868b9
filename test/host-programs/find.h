/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The driver's functions, or those of another LIBRARY, for programs that look them up by name. */
#ifndef TEST_EXEC_FIND_H
#define TEST_EXEC_FIND_H

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef LIBRARY
#define LIBRARY "libcuda.so.1"
#endif

/* Ends the program with status 1 where @result says that @call failed. */
static inline void check(int result, const char *call)
{
	if (!result)
		return;
	fprintf(stderr, "%s: %d\n", call, result);
	exit(1);
}

/* The function of the library, opened first of all; ends the program when there is none. */
static inline void *find(const char *name)
{
	static void *library;
	void *function;

	if (!library)
		library = dlopen(LIBRARY, RTLD_NOW);
	check(!library, "dlopen of " LIBRARY);
	function = dlsym(library, name);
	check(!function, name);
	return function;
}

/* Calls one, of which the types of the arguments tell the type. */
#define CALL(name, types, ...) check(((int (*) types)find(name))(__VA_ARGS__), name)

/* Wait for @stream, or for all of them. */
static inline void synchronize(void *stream)
{
	CALL("cuStreamSynchronize", (void *), stream);
}

static inline void synchronize_all(void *stream)
{
	(void)stream;
	CALL("cuCtxSynchronize", (void), );
}

#endif
