/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What the checker found. A finding is reported once, however often it is met, and printed at
 * once. There are FINDINGS of them at most; more are counted. Safe from any thread.
 */
#ifndef CPU_FINDINGS_H
#define CPU_FINDINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config.h"

enum { FINDINGS = 64, FINDING_SIZE = 2048 };

/* Reports a finding that no kernel is to blame for. */
void finding_tell(enum check check, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The same, of findings that are one: that have the same @name. */
void finding_tell_once(const char *name, enum check check, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Reports that @count of @what, "event" for instance, are never given back by @call; none: not. */
void finding_tell_kept(unsigned count, const char *what, const char *call);

/* A key for finding_is_new(): of @name and @check. One may be made of it by further bits. */
uint64_t finding_key(const char *name, enum check check);

/* Counts a finding of @key, and tells whether it is the first: finding_print() is to follow. */
bool finding_is_new(uint64_t key);

/* Prints @text, what finding_is_new() has counted for @key, and keeps it for finding_take(). */
void finding_print(uint64_t key, const char *text);

/* "mem" for CHECK_MEM. */
const char *finding_name(enum check check);

/* Takes the oldest finding that was not taken; "" when there is none. */
void finding_take(char *text, size_t size);

/*
 * Says in one line how many findings there were; where nobody took some, a process that
 * would end with 0 ends with config.exit_code. A handler for on_exit().
 */
void finding_exit(int status, void *unused);

#endif
