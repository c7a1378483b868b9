/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The debug file of a stripped one, where debuggers look for it. */
#ifndef START_DEBUG_FILE_H
#define START_DEBUG_FILE_H

#include "object.h"

/*
 * Opens the debug file of @object, which is at @path: by its build-id below /usr/lib/debug, or by
 * the name in .gnu_debuglink, beside it, in .debug/ there, or below /usr/lib/debug. The build-id is
 * what says that it is of the same build: without one none is taken. false when there is none.
 */
bool debug_file_open(struct object *debug, const struct object *object, const char *path);

#endif
