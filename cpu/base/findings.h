/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What the checker found. A finding is reported one time, however often it occurs, and printed
 * immediately. All are counted; the first FINDINGS are printed and kept. Thread-safe.
 */
#ifndef CPU_FINDINGS_H
#define CPU_FINDINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config.h"
#include "report.h"

enum { FINDINGS = 1000, FINDING_SIZE = 2048 };

/* Reports a finding that no kernel caused. */
void finding_report(enum check check, struct about about, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The same, one time for all findings of the same @name. */
void finding_report_once(const char *name, enum check check, struct about about, const char *fmt,
			 ...) __attribute__((format(printf, 4, 5)));

/* Reports that @count of @what, such as "event", are never released by @call; not if 0. */
void finding_report_unreleased(unsigned count, const char *what, const char *call);

/* Makes a key for finding_is_new() from @name and @check; the caller may mix more bits in. */
uint64_t finding_key(const char *name, enum check check);

/* Counts a finding of @key, and tells whether it is the first: finding_print() is to follow. */
bool finding_is_new(uint64_t key);

/* Prints @report, the finding that was counted for @key, and keeps it for finding_pop(). */
void finding_print(uint64_t key, const struct gpurun_report *report);

/* "mem" for CHECK_MEM. */
const char *finding_name(enum check check);

/*
 * Removes the oldest finding, or what says how many there are besides those that are kept, and
 * makes *@report of its record, which the caller frees; NULL, and *@report of no event: there is
 * none.
 */
void *finding_pop(struct gpurun_report *report);

/* How many findings there are. */
uint64_t findings_count(void);

/* How many of them finding_pop() has not removed. */
uint64_t findings_left(void);

/* Prints how many there are besides those that were printed. */
void findings_print_more(void);

#endif
