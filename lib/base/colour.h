/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Colours of messages, as no-color.org and bixense.com/clicolors say: NO_COLOR in the environment,
 * if it is not empty, turns them off; else CLICOLOR_FORCE, unless it is empty or 0, turns them
 * on; else a terminal has them, unless TERM is "dumb".
 */
#ifndef LIB_COLOUR_H
#define LIB_COLOUR_H

#include <stdbool.h>
#include <stdio.h>

#define COLOUR_ERROR "\033[1;31m"
#define COLOUR_KIND  "\033[1;33m"
#define COLOUR_PLACE "\033[1m"
#define COLOUR_PLAIN "\033[0m"

/* Tells whether what is written to descriptor @fd is coloured. */
bool colour_wanted(int fd);

/*
 * Prints "gpurun: ", @kind and @text, lines that report_format() made, to @to, filtered as
 * visible_lines() does, and a newline, in one write if there is memory. Where @to is coloured, the
 * kind of the report and the place in a source are.
 */
void colour_report(FILE *to, const char *kind, const char *text);

#endif
