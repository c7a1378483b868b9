/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "emit.h"

#include <stdarg.h>

#include "asserts.h"

int lower_fail(struct lowering *l, enum gpurun_status code, const char *fmt, ...)
{
	char text[256];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	if (!l->insn) /* parameters are lowered before the instructions */
		return err_set(l->e, code, "line %u: %.*s %s", l->body->function->line,
			       (int)l->body->function->name.length,
			       l->body->function->name.text, text);
	return err_set(l->e, code, "line %u: %.*s %s", l->insn->line,
		       (int)(l->insn->opcode.length < 100 ? l->insn->opcode.length : 100),
		       l->insn->opcode.text, text);
}

int lower_unsupported(struct lowering *l)
{
	return lower_fail(l, GPURUN_UNSUPPORTED, "is not executed by the CPU device");
}

int expect_operands(struct lowering *l, unsigned count)
{
	ASSERT(l->insn);
	if (l->insn->count == count)
		return 0;
	return lower_fail(l, GPURUN_FORMAT, "has %u operands, where %u are expected",
			  l->insn->count, count);
}

int emit(struct lowering *l, enum handler handler, int32_t d, int32_t a, int32_t b, int32_t c,
	 int64_t imm)
{
	struct code *code = l->code;
	uint32_t *line = array_grow(&code->lines, code->op_count, sizeof(*line));
	struct op *op = line ? array_grow(&code->ops, code->op_count, sizeof(*op)) : NULL;

	ASSERT((unsigned)handler < HANDLER_COUNT && l->handlers[handler]);
	ASSERT(!l->guard_op || l->guard_op <= code->op_count);
	if (l->overdrawn)
		return lower_fail(l, GPURUN_INTERNAL, "needs more scratch rows than there are");
	if (code->op_count >= l->most_ops)
		return lower_fail(l, GPURUN_UNSUPPORTED,
				  "is beyond %llu ops, the limit for a kernel of a module of "
				  "%zu bytes",
				  (unsigned long long)l->most_ops, l->program->text.size);
	if (!op)
		return err_set(l->e, GPURUN_NO_MEMORY, "no memory for %u ops", code->op_count);
	*op = (struct op){ l->handlers[handler], d, a, b, c, imm };
	*line = l->insn ? l->insn->line : 0;
	code->op_count++;
	return 0;
}
