/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Whose the standard output is. With bare --json it is the report's alone:
 * what the program prints goes to stderr. A worker of --timeout sends its
 * report to its parent through a pipe.
 */
#ifndef CMD_OUTPUT_H
#define CMD_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "err.h"

/*
 * Sets the outputs up before anything is printed: @json_on_stdout moves fd 1
 * to stderr and keeps the real one for output_report(). GPURUN_IO.
 */
int output_begin(bool json_on_stdout, struct err *e);

/* Makes output_report() write to @fd whatever the file. */
void output_report_to(int fd);

/*
 * Writes the report, which ends with a newline, to @file, or where it is NULL
 * to the real standard output. GPURUN_IO.
 */
int output_report(const char *file, const char *text, size_t size, struct err *e);

/*
 * Sends @size bytes of @data to the parent of a worker, ahead of the report;
 * does nothing in a process that is none. GPURUN_IO.
 */
int output_tell_parent(const void *data, size_t size, struct err *e);

/* Tells whether there was a report already: there is one at most. */
bool output_reported(void);

/* Flushes stdout. GPURUN_IO when something written to it was lost. */
int output_end(struct err *e);

#endif
