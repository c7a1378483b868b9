/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * How the command ends: the one table of exit statuses. 0 and 1 to 109 belong
 * to the GPU program.
 */
#ifndef CMD_EXIT_H
#define CMD_EXIT_H

#include <stdio.h>

#include "gpurun.h"

enum exit_code {
	EXIT_OK = 0,
	EXIT_MAIN = 1, /* 1 to 109: kept for the status of a GPU program */
	EXIT_USAGE = 110,
	EXIT_FILE = 111,
	EXIT_IMAGE = 112,
	EXIT_KERNEL = 113,
	EXIT_DEVICE = 114,
	EXIT_CUDA = 115,
	EXIT_LAUNCH = 116,
	EXIT_FAULT = 117,
	EXIT_MISMATCH = 118,
	EXIT_CHECK = 119,
	EXIT_TIMEOUT = 124,
	EXIT_INTERNAL = 125,
	EXIT_SIGNAL = 128, /* plus the number of the signal */
};

/* The exit status that a failure with @status leads to. */
int exit_of_status(enum gpurun_status status);

/* The name of exit status @code in JSON: "ok", "usage", ... Static. */
const char *exit_name(int code);

/* Prints the table to @to: --help=exit. */
void exit_print_table(FILE *to);

#endif
