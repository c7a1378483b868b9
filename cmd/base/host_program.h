/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Files that are programs of the host: what --exec runs. */
#ifndef CMD_HOST_PROGRAM_H
#define CMD_HOST_PROGRAM_H

#include <limits.h>
#include <stdbool.h>

/* Tells whether @path is a file that may be executed, whatever is in it. */
bool host_program_may_run(const char *path);

/* Tells whether it is one that a kernel starts: an ELF executable or a script, and no library. */
bool host_program_is(const char *path);

/* Tells whether the file at @path names a library that begins with @name among those it needs. */
bool host_program_needs(const char *path, const char *name);

/*
 * Tells whether the file at @path has GPU code of nvcc's or clang's and is linked with -static: no
 * loader brings libraries to it.
 */
bool host_program_is_sealed(const char *path);

/* Searches PATH for @name as a shell does; an empty folder in it is this one. */
bool host_program_find(const char *name, char path[PATH_MAX]);

#endif
