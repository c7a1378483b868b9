/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What the run is doing, shown on a terminal (status_line.h) when that has lasted for a second. A
 * thread writes the line four times a second, and asks the device then how far it is; where no
 * line is wanted there is none, and the functions do next to nothing.
 */
#ifndef CMD_PROGRESS_H
#define CMD_PROGRESS_H

#include "progress_line.h"

/* From here on lines are wanted, if there is a terminal. Called as status_line_begin() is. */
void progress_want(void);

/*
 * Begins to do something, and ends what was done before. @name is borrowed until progress_end() or
 * the next call. @done of @total are launches where @kind is about them, else 0.
 */
void progress_begin(enum progress_kind kind, const char *name, uint64_t done, uint64_t total);

/* How far that is, where it is not the device that says so. */
void progress_reached(uint64_t done);

/* Ends that. Its line is erased when it returns. */
void progress_end(void);

#endif
