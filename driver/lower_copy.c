/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Copies of structures, for check=init: several loads and stores that follow each other,
 * with the same distances on both sides. Some of them may move nothing but a gap.
 */
#include "lower_init.h"

enum { FAR = 64 }; /* instructions: farther ones do not belong together */

static bool begins(const struct insn *insn, const char *base)
{
	return insn->opcode.length > 3 && !memcmp(insn->opcode.text, base, 3) && insn->count == 2;
}

/* The register that operand @i of @insn begins with; UINT32_MAX: none. */
static uint32_t first_register(const struct body *body, const struct insn *insn, unsigned i)
{
	const struct operand *operand = insn_operands(body, insn) + i;

	if (operand->kind == OPERAND_VECTOR && operand->value)
		operand = &body->elements[operand->index];
	return operand->kind == OPERAND_REGISTER ? operand->index : UINT32_MAX;
}

/* The load, from @first on, of what the store at @at stores; NULL: it is none. */
static const struct insn *loaded_by(const struct body *body, uint32_t first, uint32_t at)
{
	const uint32_t data = first_register(body, &body->insns[at], 1);

	while (data != UINT32_MAX && at-- > first) {
		const struct insn *insn = &body->insns[at];

		if (insn_writes(body, insn, data))
			return begins(insn, "ld.") && first_register(body, insn, 0) == data ?
				       insn : NULL;
	}
	return NULL;
}

/* Tells whether two addresses have one base; *@distance is what they are apart. */
static bool one_base(const struct operand *a, const struct operand *b, int64_t *distance)
{
	*distance = b->value - a->value;
	return a->kind == OPERAND_ADDRESS && b->kind == OPERAND_ADDRESS && a->base == b->base &&
	       a->index == b->index;
}

bool copies_structure(const struct lowering *l)
{
	const struct body *body = l->body;
	const struct block *block = &l->now->flow.blocks[l->now->flow.block_of[l->index]];
	const uint32_t first = l->index - block->first > FAR ? l->index - FAR : block->first;
	const uint32_t end = block->end - l->index > FAR ? l->index + FAR : block->end;
	const struct insn *load = loaded_by(body, first, l->index);

	for (uint32_t i = first; load && i < end; i++) {
		const struct insn *other = &body->insns[i], *from;
		int64_t apart, from_apart;

		if (i == l->index || !begins(other, "st.") ||
		    !one_base(l->operands, insn_operands(body, other), &apart))
			continue;
		from = loaded_by(body, first, i);
		if (from && one_base(insn_operands(body, load) + 1, insn_operands(body, from) + 1,
				     &from_apart) && apart && apart == from_apart)
			return true;
	}
	return false;
}
