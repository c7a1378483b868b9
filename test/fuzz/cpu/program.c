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
#include "lock.h"
#include "lower_entry.h"
#include "program.h"
#include "region_compile.h"
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

static int compile_lowered(struct lowering *l, void *context, struct err *e)
{
	static const struct exits nowhere; /* nothing of it is executed */
	CLEANUP(free_region) struct code_region *region = NULL;
	struct region_request *request = context;

	request->exits = &nowhere;
	request->ops = l->code->ops;
	request->most_bytes = 1 << 20;
	return region_compile(l, request, &region, e);
}

/* Whatever is lowered is compiled, or stays with the interpreter for a reason. */
static void compile_entry(struct program *program, const struct kernel *kernel, size_t size)
{
	const uint32_t blocks[][3] = { { 32, 1, 1 }, { (uint32_t)size % 61 + 1, 3, 1 } };
	struct err e = { 0 };
	struct code *code;

	for (unsigned i = 0; i < 4; i++) {
		struct region_request request = { .isa = i % 2 ? X86_AVX512 : X86_AVX2,
						  .exits_seed = size & 1 };
		const struct lower_visitor visitor = { compile_lowered, &request };

		request.shape.aligned = i < 2;
		if (i >= 2)
			memcpy(request.shape.size, blocks[1], sizeof(blocks[1]));
		if (entry_code(kernel->entry, blocks[i / 2], true, &code, &e))
			return;
		LOCKED_BY(&program->lock, LOCK_PROGRAM);
		if (entry_visit(kernel->entry, code, &visitor, &e) && !e.text[0])
			abort();
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
		else if (!check)
			compile_entry(program, kernel, size);
	}
	if (program && !check)
		find_all_kinds(program, size);
	program_free(program);
}

/* Any bytes: they are refused with a reason, or every entry is lowered or refused, also when it is
 * to be checked; the kinds of its registers are found, and it is compiled for both sets of
 * instructions. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	load(data, size, 0);
	load(data, size, CHECK_MEM | CHECK_INIT | CHECK_RACE | CHECK_SYNC);
	return 0;
}
