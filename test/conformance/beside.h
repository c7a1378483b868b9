/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Opens libraries by where they stand: sanitizers keep dlopen() from its caller's path. */
#ifndef CONFORMANCE_BESIDE_H
#define CONFORMANCE_BESIDE_H

#include <dlfcn.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

/* Opens the library at @path, seen from this program's folder; ends the process when it
 * cannot. */
static void *open_beside(const char *path)
{
	char program[PATH_MAX] = "", full[2 * PATH_MAX];
	void *library;

	if (readlink("/proc/self/exe", program, sizeof(program) - 1) < 0)
		_exit(54);
	snprintf(full, sizeof(full), "%s/%s", dirname(program), path);
	library = dlopen(full, RTLD_NOW | RTLD_LOCAL);
	if (library)
		return library;
	printf("# %s\n", dlerror());
	fflush(stdout);
	_exit(55);
}

#endif
