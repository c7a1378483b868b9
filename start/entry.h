/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Where the jumps lead: our libcudart, which is loaded at the first call of one of its functions
 * into the namespace of the program. Not earlier: when the loader begins, the C library there is
 * not ready.
 */
#ifndef START_ENTRY_H
#define START_ENTRY_H

#include <link.h>
#include <stdbool.h>

#include "name.h"

/* The functions' addresses; until the first call of each, that of code which finds it. */
extern void *entry_targets[NAMES];

/* Where a function leads that ours has not: it is named, and returns cudaErrorNotSupported. */
void entry_newer(void);

/* Prepares entry_targets; our libcudart is the file at @path, which stays the caller's. */
void entry_begin(const char *path);

/*
 * The program's namespace has this library. Tells whether it is the C library, whose functions are
 * looked for there: it has no runtime in it, and its debug file is large.
 */
bool entry_see_library(struct link_map *library);

#endif
