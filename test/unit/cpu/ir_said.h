/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* For tests of ir_build(): its IR as text. */
#ifndef TEST_IR_SAID_H
#define TEST_IR_SAID_H

#include "ir.h"

#include "lowered.h"

/* Writes @line with tA, tB, ... for values without a name, in the order in which they appear. */
static inline void say_line(FILE *to, const char *line, char names[8][8])
{
	while (*line) {
		const bool apart = *line == 't' && line[-1] == ' ';
		const size_t digits = apart ? strspn(line + 1, "0123456789") : 0;
		char name[8];
		unsigned n = 0;

		if (!digits) {
			fputc(*line++, to);
			continue;
		}
		snprintf(name, sizeof(name), "%.*s", 1 + (int)digits, line);
		while (n < 7 && *names[n] && strcmp(names[n], name))
			n++;
		strcpy(names[n], name);
		fprintf(to, "t%c", 'A' + n);
		line += 1 + digits;
	}
	fputc('\n', to);
}

/* The IR as text, without the numbers of ops, and without the last block, the end of the text. */
static inline void say_ir(FILE *to, struct ir *ir)
{
	CLEANUP(free_pointer) char *text = NULL;
	char names[8][8] = { 0 }, *line, *rest;
	size_t size, wanted = ir->block_count;
	FILE *whole = open_memstream(&text, &size);

	CHECK_STR(ir_verify(ir) ? ir_verify(ir) : "", "");
	ir_print(whole, ir);
	fclose(whole);
	for (rest = text; (line = strsep(&rest, "\n")) && *line;) {
		const bool block = *line == 'b';

		if (block && !--wanted)
			break;
		say_line(to, block ? line : line + 7, names);
	}
}

#define CHECK_IR(shape, text, expected) CHECK_LOWERED(say_ir, shape, text, expected)

#define BLOCK "block 0: depth 0\n"
#define AT_IR                                                                              \
	BLOCK " %t:p = move.32 [0x500]:p\n"                                                \
	      " %x:p = mul.wide.u32 %t:p 0x4:u\n"                                          \
	      " %at:p = add.s64/u64 %x:p %to:u\n"
#define RET_IR " leave\n"

#endif
