/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Kernels, instructions and registers as their PTX names them, for dump= and trace=. */
#ifndef CPU_LISTING_H
#define CPU_LISTING_H

#include <stdio.h>

#include "body.h"
#include "program.h"

enum { REGISTER_NAME = 64 };

/*
 * Tells whether @pattern, a shell's pattern, matches the kernel @name: its symbol, or its C++ name
 * without parameters: "axpb<int>" or "axpb". False also for a pattern of "".
 */
bool listing_matches(const char *pattern, const char *name);

/* The two listings of a process, for listing_report_empty(). */
enum listing { LISTING_DUMP, LISTING_TRACE };

/* A kernel was lowered; where it matches, or later, lines of @listing were printed. */
void listing_lowered(void);
void listing_printed(enum listing listing);

/* Reports dump= and trace= that printed nothing though kernels were lowered: a line each. */
void listing_report_empty(void);

/* Finds the text of @insn in @program, guard included, without its semicolon; borrowed. */
struct bytes listing_text(const struct program *program, const struct insn *insn);

/* Writes @text with one blank for each run of white space. */
void listing_print(FILE *to, struct bytes text);

/* Writes the name of register @index: "%r5". @text is returned. */
const char *listing_register(const struct body *body, uint32_t index,
			     char text[REGISTER_NAME]);

#endif
