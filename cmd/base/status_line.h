/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A line at the end of what standard error shows on a terminal, which is rewritten in its place,
 * and erased before anything else is written: stdout and stderr become streams that do so. The
 * libraries of the process have the same two, so what a kernel prints, or a device reports, is
 * never in one line with it.
 *
 * Where it was not begun the functions do nothing.
 */
#ifndef CMD_STATUS_LINE_H
#define CMD_STATUS_LINE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Begins, where standard error is a terminal that can erase a line (TERM is not "dumb"). Called
 * when there is one thread and nothing was printed. False: there is no such terminal, or no memory.
 */
bool status_line_begin(void);

/* Returns how many columns the line has, at least 1. */
size_t status_line_columns(void);

/*
 * Shows @line, which is in a line; not where what was written last does not end its own, nor while
 * the process is in the background.
 */
void status_line_show(const char *line);

void status_line_hide(void);

/*
 * Hides it permanently. For the thread that ends the process: waits for no other one longer than
 * a moment.
 */
void status_line_end(void);

/* Erases what another process, which was killed, may have left of such a line. */
void status_line_wipe(void);

#endif
