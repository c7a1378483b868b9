/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* covers: cpu/ptx/decode.c cpu/ptx/decode_declare.c cpu/ptx/decode_operand.c */
/* covers: cpu/ptx/decode_label.c cpu/ptx/decoder.c */
/* covers: cpu/ptx/decode_names.c cpu/ptx/decode_sum.c cpu/ptx/decode_vector.c cpu/exec/variable.c */
#include <stdio.h>

#include "config.h"
#include "fuzz.h"
#include "exec.h"
#include "program.h"

/* A reason that names a line names one that there is: they are counted from 1. */
static void check_reason(const struct err *e)
{
	if (!e->text[0] || strstr(e->text, "line 0"))
		abort();
}

static void load(const uint8_t *data, size_t size, unsigned check)
{
	struct program *program = NULL;
	const struct kernel *kernel;
	struct err e = { 0 };
	char name[256];

	config.memory = 16 << 20;
	config.check = check;
	if (program_load((struct bytes){ data, size }, &program, &e))
		check_reason(&e);
	for (size_t i = 0; program && i < program->ptx->function_count; i++) {
		snprintf(name, sizeof(name), "%.*s", (int)program->ptx->functions[i].name.length,
			 program->ptx->functions[i].name.text);
		if (program_kernel(program, name, &kernel, &e))
			check_reason(&e);
	}
	program_free(program);
}

/* Any bytes: they are refused with a reason, or every entry is lowered or refused, also when it is
 * to be checked. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	load(data, size, 0);
	load(data, size, CHECK_MEM | CHECK_INIT | CHECK_RACE | CHECK_SYNC);
	return 0;
}
