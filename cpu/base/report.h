/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The text about the last fault or refused kernel, for gpurunCpuReport(). It is
 * printed on stderr for a program that never asks. Lives as long as the context.
 * The caller holds the driver's lock.
 */
#ifndef CPU_REPORT_H
#define CPU_REPORT_H

#include <stddef.h>

#define REPORT_SIZE 4096

/* Sets the report, and prints it unless the program asks for reports itself. */
void report_set(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Sets the report without printing it: the program has it already, in its log. */
void report_set_quietly(const char *text);

/* Forgets the report. */
void report_clear(void);

/* Stops the printing of reports: the program asks for them itself from now on. */
void report_mute(void);

/* Writes the report to the @size bytes at @text; "" when there is none. */
void report_copy(char *text, size_t size);

#endif
