/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "demangle.h"

#include <ctype.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "demangle_text.h"

typedef char *demangle_function(const char *name, char *buffer, size_t *size,
				int *status);

static demangle_function *cxa_demangle;

/* The library stays open: what it has registered in the process cannot be undone. */
static void open_demangler(void)
{
	void *library = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL);

	if (!library)
		library = dlopen("libc++abi.so.1", RTLD_NOW | RTLD_LOCAL);
	if (library)
		cxa_demangle = (demangle_function *)dlsym(library, "__cxa_demangle");
}

/* Finds the end of the back reference at @p, "S3_" or "T_"; NULL when it is none. */
static const char *reference_end(const char *p)
{
	if (*p != 'S' && *p != 'T')
		return NULL;
	for (p++; (*p >= '0' && *p <= '9') || (*p >= 'A' && *p <= 'Z'); p++)
		;
	return *p == '_' ? p + 1 : NULL;
}

/*
 * Tells whether what @name demangles to is of sane size. Back references can name
 * what has back references: with r of them a name grows at most 3^(r/3)-fold, and
 * an expanded parameter pack repeats its pattern. A name of 300 bytes made to
 * grow costs a demangler hours and all memory.
 */
static bool is_sane(const char *name)
{
	const double cube_root_of_3 = 1.4422495703, limit = 1 << 20;
	double length = (double)strlen(name), size = length;

	while (*name && size <= limit) {
		const char *end = reference_end(name);

		if (end)
			size *= cube_root_of_3;
		else if (!strncmp(name, "Dp", 2) || !strncmp(name, "sp", 2))
			size *= length;
		name = end ? end : name + 1;
	}
	return size <= limit;
}

char *demangle(const char *name)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	char *text = demangle_rust(name);
	int status;

	if (!text)
		text = demangle_d(name);
	if (text)
		return text;
	if (!strncmp(name, "_Z", 2) && is_sane(name)) {
		pthread_once(&once, open_demangler);
		if (cxa_demangle)
			text = cxa_demangle(name, NULL, NULL, &status);
	}
	if (!text)
		return strdup(name);
	/* Templates are mangled with their return type, and a kernel has but one. */
	if (!strncmp(text, "void ", 5))
		memmove(text, text + 5, strlen(text + 5) + 1);
	return text;
}

/* Finds where the bracket that ends before @end opens; @text when it never does. */
static const char *opening(const char *text, const char *end, char open, char close)
{
	size_t depth = 0;

	while (end > text) {
		end--;
		if (*end == close)
			depth++;
		else if (*end == open && !--depth)
			return end;
	}
	return text;
}

char *demangle_qualified(const char *signature)
{
	const char *end = strrchr(signature, ')');
	/* Those of a tuple are no parameters: Rust's "add<(i32, f32)>". */
	const bool lists = end && !strchr(end, '>');
	const char *start = lists ? opening(signature, end + 1, '(', ')') : signature;

	return start > signature ? strndup(signature, (size_t)(start - signature))
				 : strdup(signature);
}

char *demangle_alone(const char *name)
{
	CLEANUP(free_pointer) char *text = demangle_rust(name);
	char *own;

	if (!text)
		text = demangle_d(name);
	if (text)
		return demangle_qualified(text);
	own = demangle_cpp(name);
	return own ? own : strdup(name);
}

/* Whether D's "." between two names precedes @start. */
static bool is_dot(const char *text, const char *start)
{
	return start - text > 1 && start[-1] == '.' &&
	       (isalpha((unsigned char)*start) || *start == '_');
}

char *demangle_base(const char *qualified)
{
	const char *end = qualified + strlen(qualified), *start = end;

	if (end > qualified && end[-1] == '>')
		end = opening(qualified, end, '<', '>');
	if (end == qualified)
		return strdup(qualified);
	for (start = end; start > qualified && start[-1] != ':' && !is_dot(qualified, start);
	     start--)
		;
	return strndup(start, (size_t)(end - start));
}
