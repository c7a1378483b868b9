/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* covers: cpu/ptx/decode.c cpu/ptx/decode_declare.c cpu/ptx/decode_operand.c */
/* covers: cpu/ptx/decode_label.c cpu/ptx/decoder.c */
/* covers: cpu/ptx/decode_names.c cpu/ptx/decode_sum.c cpu/ptx/decode_vector.c cpu/exec/variable.c */
#include <stdio.h>

#include "block_order.h"
#include "config.h"
#include "fuzz.h"
#include "exec.h"
#include "kinds.h"
#include "program.h"
#include "simplify.h"

/* A reason that names a line names one that there is: they are counted from 1. */
static void check_reason(const struct err *e)
{
	if (!e->text[0] || strstr(e->text, "line 0"))
		abort();
}

/* Whatever the text is, the kinds of its registers are found, for any shape of a block. */
static void find_kinds(const struct program *program, const struct ptx_function *function,
		       const struct block_shape *shape, bool simplified)
{
	CLEANUP(free_body) struct body *body = NULL;
	CLEANUP(flow_release) struct flow flow = { 0 };
	CLEANUP(liveness_release) struct liveness liveness = { 0 };
	CLEANUP(kinds_release) struct kinds kinds = { 0 };

	if (body_decode(program->ptx, &program->globals, function, &body, NULL))
		return;
	if (simplified && (simplify(body, NULL) || order_blocks(body, NULL)))
		return;
	if (flow_find(body, &flow, NULL) || liveness_find(body, &flow, &liveness, NULL))
		return;
	if (kinds_find(body, &liveness, shape, &kinds, NULL))
		abort();
	for (uint32_t i = 0; i < body->insn_count; i++)
		if (kinds.results[i].check.operand > body->insns[i].count)
			abort();
}

static void find_all_kinds(const struct program *program, size_t size)
{
	const uint32_t x = (uint32_t)size % 67, y = (uint32_t)size / 67 % 17;
	const struct block_shape shapes[] = { { { x, y, 1 }, false }, { .aligned = true } };

	for (size_t i = 0; i < program->ptx->function_count; i++) {
		const struct ptx_function *function = &program->ptx->functions[i];

		for (unsigned k = 0; function->entry && function->defined && k < 2; k++)
			find_kinds(program, function, &shapes[k], k);
	}
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
	if (program && !check)
		find_all_kinds(program, size);
	program_free(program);
}

/* Any bytes: they are refused with a reason, or every entry is lowered or refused, also when it is
 * to be checked; and the kinds of its registers are found. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	load(data, size, 0);
	load(data, size, CHECK_MEM | CHECK_INIT | CHECK_RACE | CHECK_SYNC);
	return 0;
}
