/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "array.h"
#include "build.h"

struct ir_insn *build_insn(struct build *b, enum ir_op op)
{
	struct ir_insn *insn = array_grow(&b->ir->insns, b->ir->insn_count, sizeof(*insn));

	if (!insn)
		return NULL;
	b->ir->insn_count++;
	insn->op = (uint8_t)op;
	for (unsigned i = 0; i < IR_RESULTS; i++)
		insn->d[i] = IR_NONE;
	for (unsigned i = 0; i < IR_SOURCES; i++)
		insn->a[i] = IR_NONE;
	insn->guard = b->guard;
	insn->guard_negated = b->guard_negated;
	insn->under = IR_NONE;
	insn->at = b->at;
	insn->end = b->at + 1;
	insn->source = b->source;
	insn->source_end = b->source + 1;
	insn->checked = IR_NONE;
	return insn;
}

/* No memory for one more. */
int build_full(struct build *b)
{
	return err_set(b->e, GPURUN_NO_MEMORY, "no memory for the IR of a kernel");
}
