/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What the checker found. A finding is reported one time, however often it occurs, and printed
 * immediately. There are FINDINGS of them at most; more are counted. Thread-safe.
 */
#ifndef CPU_FINDINGS_H
#define CPU_FINDINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config.h"

enum { FINDINGS = 64, FINDING_SIZE = 2048 };

/* Reports a finding that no kernel caused. */
void finding_report(enum check check, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The same, one time for all findings of the same @name. */
void finding_report_once(const char *name, enum check check, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Reports that @count of @what, such as "event", are never released by @call; not if 0. */
void finding_report_unreleased(unsigned count, const char *what, const char *call);

/* Makes a key for finding_is_new() from @name and @check; the caller may mix more bits in. */
uint64_t finding_key(const char *name, enum check check);

/* Counts a finding of @key, and tells whether it is the first: finding_print() is to follow. */
bool finding_is_new(uint64_t key);

/* Prints @text, the finding that was counted for @key, and keeps it for finding_pop(). */
void finding_print(uint64_t key, const char *text);

/* "mem" for CHECK_MEM. */
const char *finding_name(enum check check);

/* Removes the oldest finding and writes it to @text; "" when there is none. */
void finding_pop(char *text, size_t size);

/*
 * Prints in one line how many findings there were; if finding_pop() has not removed all of
 * them, a process that would end with 0 ends with config.exit_code. A handler for on_exit().
 */
void finding_exit(int status, void *unused);

#endif
