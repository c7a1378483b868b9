/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The sentences of errors, of a fixed size. One that is too long loses the middle of the
 * strings that were inserted, "/home/...er.ptx": what went wrong is last, and is kept.
 */
#ifndef LIB_ERR_TEXT_H
#define LIB_ERR_TEXT_H

#include <stdarg.h>

#include "err.h"

/*
 * Formats @args to @text, and after that ": " and @reason unless it is NULL, all filtered
 * (VISIBLE_NAME). Strings are cut, the longest first, down to 64 bytes, then @reason, in its
 * middle too. @text may be among @args; @reason may not be @text.
 */
void err_text_format(char text[ERR_TEXT_SIZE], const char *reason, const char *fmt, va_list args)
	__attribute__((format(printf, 3, 0)));

#endif
