/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Hints for values that are written as for other tools: what to write here. */
#ifndef LIB_GUESS_H
#define LIB_GUESS_H

#include <stddef.h>

#include "err.h"

/*
 * Sets the hint of @e for @length bytes of @text that are no type: the type, the number
 * or the file that was meant, else the types that there are. Returns the code of @e.
 */
int guess_type(const char *text, size_t length, struct err *e);

/* Sets the hint of @e if @text is NAME=NUMBER where NAME, of @length bytes, is a type elsewhere. */
void guess_number(const char *text, size_t length, struct err *e);

/* Sets the hint of @e likewise for @text that is no INIT. Returns the code of @e. */
int guess_init(const char *text, struct err *e);

/* Sets the hint of @e if @text, TYPE and what follows, has numbers where the shape belongs. */
void guess_shape(const char *text, struct err *e);

#endif
