/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "demangle.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef char *demangle_function(const char *name, char *buffer, size_t *size,
				int *status);

static demangle_function *cxa_demangle;

/* The library stays open: what it has given to the process cannot be taken back. */
static void open_demangler(void)
{
	void *library = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL);

	if (!library)
		library = dlopen("libc++abi.so.1", RTLD_NOW | RTLD_LOCAL);
	if (library)
		cxa_demangle = (demangle_function *)dlsym(library, "__cxa_demangle");
}

char *demangle(const char *name)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	char *text = NULL;
	int status;

	if (!strncmp(name, "_Z", 2) && strlen(name) < 65536) {
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
	const char *start = end ? opening(signature, end + 1, '(', ')') : signature;

	return start > signature ? strndup(signature, (size_t)(start - signature))
				 : strdup(signature);
}

char *demangle_base(const char *qualified)
{
	const char *end = qualified + strlen(qualified), *start = end;

	if (end > qualified && end[-1] == '>')
		end = opening(qualified, end, '<', '>');
	if (end == qualified)
		return strdup(qualified);
	for (start = end; start > qualified && start[-1] != ':'; start--)
		;
	return strndup(start, (size_t)(end - start));
}
