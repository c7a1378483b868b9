/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What kernels print: device printf goes to the process's stdout byte for byte, as it is the
 * program's own output. What gpurun says of them goes to its stderr, filtered (visible.h). Whole
 * lines of one call are never interleaved.
 */
#ifndef CPU_OUTPUT_H
#define CPU_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

/* Adds the text of one vprintf call to the output, which is written out at
 * once or at the next synchronisation. Thread-safe. */
void output_printf(const char *text, size_t length);

/* Writes one assertion message, and a newline, to stderr at once. Thread-safe. */
void output_assert(const char *text, size_t length);

/* Writes lines, of which the last ends too, to stderr at once. Thread-safe. */
void output_listing(const char *text, size_t length);

/* Writes "gpurun: ", @kind, and a text of report_format() to stderr at once. Thread-safe. */
void output_report(const char *kind, const char *text);

/* Writes a line of gpurun's own to stderr at once. Thread-safe. */
void output_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Tells whether output_flush() has anything to write. */
bool output_pending(void);

/* Writes out everything that output_printf() holds. */
void output_flush(void);

#endif
