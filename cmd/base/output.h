/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Whose the standard output is. With bare --json it is the report's alone:
 * what the program prints goes to stderr. A worker of --timeout sends its
 * reports to its parent through a pipe.
 */
#ifndef CMD_OUTPUT_H
#define CMD_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "bytes.h"
#include "err.h"

/* What is written at the end of a run, or sent to a parent. */
enum output_kind {
	OUTPUT_DEVICE, /* for the parent alone: what --exec runs on */
	OUTPUT_JSON,
	OUTPUT_JUNIT,
	OUTPUT_ANNOTATIONS, /* to stderr */
	OUTPUT_KINDS,
};

/*
 * Sets the outputs up before anything is printed: @report_on_stdout moves fd 1
 * to stderr and keeps the real one for output_report(). GPURUN_IO.
 */
int output_begin(bool report_on_stdout, struct err *e);

/* Makes output_report() write to @fd whatever the file, each one after its kind and size. */
void output_report_to(int fd);

/*
 * Writes a report, which ends with a newline, to @file, or where it is NULL
 * to the real standard output. GPURUN_IO.
 */
int output_report(enum output_kind kind, const char *file, const char *text, size_t size,
		  struct err *e);

/* Finds what was sent of @kind in all that came from a worker; false: nothing whole. */
bool output_find(struct bytes sent, enum output_kind kind, struct bytes *out);

/*
 * Sends @size bytes of @data, which are of OUTPUT_DEVICE, to the parent of a worker;
 * does nothing in a process that is none. GPURUN_IO.
 */
int output_send_parent(const void *data, size_t size, struct err *e);

/* Tells whether the run was reported already: that is done once. */
bool output_reported(void);

/*
 * Prints to stdout as printf() does, filtered (visible_printf()): a newline is at the end of @fmt
 * or is none.
 */
void output_text(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Flushes stdout. GPURUN_IO when something written to it was lost. */
int output_end(struct err *e);

#endif
