/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Hints for words of a command line that do not belong there, or have another name here. */
#ifndef CMD_NEAR_H
#define CMD_NEAR_H

#include "err.h"

struct options;

/* Returns the option, without dashes, that others call @name, of @length bytes; or NULL. */
const char *near_option(const char *name, size_t length);

/*
 * Sets the hint of @e for word @at of @options, which would be a second file: what the
 * words before it have to do with it. Returns the code of @e.
 */
int near_word(const struct options *options, size_t at, struct err *e);

/*
 * Sets the hint of @e for file @path that cannot be used: if it is FILE and a host program, how
 * that is run, or if it is an option's name. Returns the code of @e.
 */
int near_file(const struct options *options, const char *path, struct err *e);

#endif
