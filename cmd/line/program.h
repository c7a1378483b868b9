/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Hints for those who give gpurun a host program, its source or its project for FILE. */
#ifndef CMD_PROGRAM_H
#define CMD_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

#include "err.h"

struct options;

/*
 * Makes the hint of @e the command line that runs FILE where that is no GPU code but a host
 * program, by its path or from PATH, a script of Python or the shell, CUDA source with a main(), or
 * a folder. @parsed: all words were read as options of gpurun, and remain those; else the words
 * after FILE are taken for the program's. Returns whether it is one.
 */
bool program_hint(const struct options *options, bool parsed, struct err *e);

/*
 * The same for word @at of @options, a second file: it and what follows are the program where FILE
 * is no file, but a word as others' commands have: "gpurun run ./x".
 */
bool program_hint_second(const struct options *options, size_t at, struct err *e);

/*
 * Notes options after --exec's program that only gpurun has, and the command line in which they are
 * gpurun's. None where the program is gpurun itself, or after "--".
 */
void program_note(const struct options *options);

#endif
