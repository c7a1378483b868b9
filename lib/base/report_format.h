/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Reports of the CPU device: struct gpurun_report of gpurun.h, as it travels through
 * gpurunCpuReport() and the file of report-log=, and as text.
 *
 * A record is that structure, with its strings after it, each ended by a NUL; where the structure
 * has a pointer the record has the offset of the string. Both ends are of one build: records are
 * no format for files that are kept.
 */
#ifndef LIB_REPORT_FORMAT_H
#define LIB_REPORT_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bytes.h"
#include "gpurun.h"

enum report_kind {
#define REPORT_KIND(name, text, error, meaning) KIND_##name,
#include "report_kinds.def"
	REPORT_KINDS,
};

/* The bytes that a record, or a report's text, has at most, and a record at least; strings are cut
 * to fit. */
enum { REPORT_MOST = 8192, REPORT_LEAST = 1024 };

/* "illegal-address" for KIND_ILLEGAL_ADDRESS. Static. */
const char *report_kind_name(enum report_kind kind);

/* The driver's error that a fault of @kind is; 0: it is no fault. */
int report_kind_error(enum report_kind kind);

/* The first kind whose error is @error; KIND_OTHER: there is none. */
enum report_kind report_kind_of(int error);

/* A report without anything: strings are "". */
struct gpurun_report report_none(void);

/*
 * Makes the record of @report in the @size bytes at @record, at least REPORT_LEAST. Returns how
 * many bytes it has.
 */
size_t report_pack(const struct gpurun_report *report, void *record, size_t size);

/*
 * Reads the record at the start of @bytes, whose strings *@report borrows. Returns how many bytes
 * it has; 0: @bytes do not begin with a whole one.
 */
size_t report_unpack(struct bytes bytes, struct gpurun_report *report);

/* The record of @report in as much memory as it needs, which the caller frees; NULL: none. */
void *report_copy(const struct gpurun_report *report);

/* Reads what report_copy() made, whose strings *@report borrows; false: @record is NULL. */
bool report_read(const void *record, struct gpurun_report *report);

/* Writes @report as its lines, without a newline at the end, cut to @size bytes. */
void report_format(const struct gpurun_report *report, char *text, size_t size);

#endif
