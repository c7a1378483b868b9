/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* From ops to the IR: atomic operations on memory, with the ops that make their addresses. */
#include "build.h"

/* Another block's shared memory has addresses of this kind too: where one is found, the region is
 * left, and the interpreter makes the address again. */
bool build_has_window(const struct build *b, uint32_t at)
{
	const struct op *op = &b->l->code->ops[at];

	return at + 1 < b->l->insn_ops[b->source + 1] &&
	       translations[handler_of(op + 1)].action == ACTION_ATOMIC && op[1].a == op->d;
}

/* The address is what a window is made of, an offset in shared memory; or generic. */
static int add_address(struct build *b, struct ir_insn *insn, const struct op *op)
{
	const struct op *window = op - 1;
	const bool narrow = handler_of(window) == HANDLER_cluster_window_4;

	if (b->at == b->l->insn_ops[b->source] ||
	    translations[handler_of(window)].action != ACTION_WINDOW) {
		insn->form = FORM_FLAT_R8;
		insn->imm = op->imm;
		return build_operand(b, op->a, &insn->a[0]);
	}
	insn->form = narrow ? FORM_SHARED_R4 : FORM_SHARED_R8;
	insn->narrow = narrow || window->b;
	insn->imm = window->imm;
	insn->at--;
	return build_operand(b, window->a, &insn->a[0]);
}

int build_atomic(struct build *b, const struct translation *t, const struct op *op)
{
	const int32_t rows[2] = { op->b, op[1].d };
	struct ir_insn *insn = build_insn(b, IR_ATOMIC);

	if (!insn)
		return build_full(b);
	insn->end = b->at + translation_ops(t);
	insn->row = t->op;
	insn->size = t->size;
	insn->count = 1;
	insn->hit = op->c;
	insn->sources = (uint8_t)(1 + t->count);
	TRY(add_address(b, insn, op));
	for (unsigned i = 0; i < t->count; i++)
		TRY(build_operand(b, rows[i], &insn->a[1 + i]));
	return build_result(b, op->d, t->size, &insn->d[0]);
}
