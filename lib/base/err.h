/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Errors: a status to act on and a sentence to read. A struct err belongs to
 * the caller, is of fixed size, and lives as long as the caller wants to read
 * it; reporting never allocates, so running out of memory is an error like any
 * other. A sentence is one line that can be shown (visible.h), and what is too long loses
 * the middle of the names in it ("a...z"), not its end.
 */
#ifndef LIB_ERR_H
#define LIB_ERR_H

#include "gpurun.h"

#define ERR_TEXT_SIZE 512

struct err {
	enum gpurun_status code;
	char text[ERR_TEXT_SIZE]; /* lower case, no full stop, no "error:" */
	char hint[ERR_TEXT_SIZE]; /* what to do about it; "" when there is no advice */
};

/*
 * Records @code and the formatted sentence in @e, and clears the hint. @e may
 * be NULL when only the status matters. Returns @code.
 */
int err_set(struct err *e, enum gpurun_status code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * Puts "<formatted>: " before the text of @e. Returns the code of @e; without one, that of
 * this thread's last err_set() without a struct err.
 */
int err_wrap(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Sets the advice for the text of @e. Returns the same as err_wrap(). */
int err_hint(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
