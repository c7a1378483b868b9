/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What the checker found. A finding is told once, however often its instruction
 * meets it, and printed at once. There are FINDINGS of them at most; more are
 * counted. Safe from any thread.
 */
#ifndef DRIVER_FINDING_H
#define DRIVER_FINDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config.h"

struct op;
struct warp;

enum { FINDINGS = 64, FINDING_SIZE = 2048 };

/*
 * Counts a finding of @check by @w at @ip, and tells whether it is news: whether
 * finding_add() is wanted. One line of a kernel's PTX is told once.
 */
bool finding_is_news(const struct warp *w, const struct op *ip, enum check check);

/* Reports a finding that is news, with the @lanes of @w that stand at @ip. */
void finding_add(const struct warp *w, const struct op *ip, uint32_t lanes, enum check check,
		 const char *fmt, ...) __attribute__((format(printf, 5, 6)));

/* Reports a finding that no kernel is to blame for. */
void finding_tell(enum check check, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The same, of findings that are one: that have the same @name. */
void finding_tell_once(const char *name, enum check check, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Reports that @count of @what, "event" for instance, are never given back by @call; none: not. */
void finding_tell_kept(unsigned count, const char *what, const char *call);

/* Takes the oldest finding that was not taken; "" when there is none. */
void finding_take(char *text, size_t size);

/*
 * Says in one line how many findings there were; where nobody took some, a process that
 * would end with 0 ends with config.exit_code. A handler for on_exit().
 */
void finding_exit(int status, void *unused);

#endif
