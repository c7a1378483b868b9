/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ir.h"

#include <stdlib.h>

void ir_release(struct ir *ir)
{
	kinds_release(&ir->kinds);
	free(ir->values);
	free(ir->insns);
	free(ir->blocks);
	free(ir->by_register);
}

enum ir_effect ir_effect(const struct ir_insn *insn)
{
	static const uint8_t effects[] = {
#define IR(name, text, result, effect) IR_##effect,
#include "ops.def"
	};

	return effects[insn->op];
}
