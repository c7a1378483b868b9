/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Copies of structures, for check=init: several loads and stores that follow each other,
 * with the same distances on both sides. Some of them may move nothing but a gap.
 */
#include "lower_init.h"

enum { FAR = 64 }; /* instructions: farther ones do not belong together */

/* Tells whether @insn is a plain load (INSN_LD) or store (INSN_ST). */
static bool is_plain(const struct insn *insn, enum insn_base base)
{
	return insn->base == base && insn->count == 2;
}

/* The register that operand @i of @insn begins with; UINT32_MAX: none. */
static uint32_t first_register(const struct body *body, const struct insn *insn, unsigned i)
{
	const struct operand *operand = insn_operands(body, insn) + i;

	if (operand->kind == OPERAND_VECTOR && operand->value)
		operand = &body->elements[operand->index];
	return operand->kind == OPERAND_REGISTER ? operand->index : UINT32_MAX;
}

/* The load, from @first on, of what the store at @at stores; UINT32_MAX: it is none. */
static uint32_t loaded_by(const struct body *body, uint32_t first, uint32_t at)
{
	const uint32_t data = first_register(body, &body->insns[at], 1);

	while (data != UINT32_MAX && at-- > first) {
		const struct insn *insn = &body->insns[at];

		if (insn_writes(body, insn, data))
			return is_plain(insn, INSN_LD) && first_register(body, insn, 0) == data ?
				       at : UINT32_MAX;
	}
	return UINT32_MAX;
}

/* An address: a base and an offset. */
struct based_address {
	const struct operand *operand; /* NULL: it is no address */
	uint32_t index;                /* of the base; of a register, as written by: */
	uint32_t writer;               /* the instruction after this one */
	uint64_t offset; /* modulo 2^64, as the address */
};

/* Tells whether @insn is add.s64 or the like, of a register and a number. */
static bool adds_number(const struct body *body, const struct insn *insn)
{
	const struct operand *operands = insn_operands(body, insn);

	return insn->base == INSN_ADD && insn->opcode.length == 7 &&
	       !memcmp(insn->opcode.text + 5, "64", 2) && insn->guard == NO_GUARD &&
	       insn->count == 3 && operands[1].kind == OPERAND_REGISTER &&
	       operands[2].kind == OPERAND_INTEGER;
}

/*
 * The address in operand @i of the instruction at @at. Code that is not optimized has separate
 * registers for parts of a structure: numbers added since @first are part of the offset.
 */
static struct based_address place_of(const struct body *body, uint32_t first, uint32_t at,
				     unsigned i)
{
	const struct operand *operand = insn_operands(body, &body->insns[at]) + i;
	struct based_address place = { NULL, operand->index, first, operand->value };

	if (operand->kind != OPERAND_ADDRESS)
		return place;
	place.operand = operand;
	while (operand->base == OPERAND_REGISTER && at-- > first) {
		const struct insn *insn = &body->insns[at];
		const struct operand *added = insn_operands(body, insn);

		if (!insn_writes(body, insn, place.index))
			continue;
		place.writer = at + 1;
		if (!adds_number(body, insn))
			break;
		place.writer = first;
		place.index = added[1].index;
		place.offset += (uint64_t)added[2].value;
	}
	return place;
}

static bool one_base(const struct based_address *a, const struct based_address *b)
{
	return a->operand && b->operand && a->operand->base == b->operand->base &&
	       a->index == b->index && a->writer == b->writer;
}

/* Tells whether the instruction at @at copies another part of the structures of @from and @to. */
static bool copies_neighbour(const struct body *body, uint32_t first, uint32_t at,
			     const struct based_address *from,
			     const struct based_address *to)
{
	struct based_address its_from, its_to;
	uint32_t load;

	if (!is_plain(&body->insns[at], INSN_ST))
		return false;
	load = loaded_by(body, first, at);
	if (load == UINT32_MAX)
		return false;
	its_to = place_of(body, first, at, 0);
	if (!one_base(to, &its_to) || to->offset == its_to.offset)
		return false;
	its_from = place_of(body, first, load, 1);
	return one_base(from, &its_from) &&
	       its_to.offset - to->offset == its_from.offset - from->offset;
}

bool copies_structure(const struct lowering *l)
{
	const struct body *body = l->body;
	const struct basic_block *block = &l->now->flow.blocks[l->now->flow.block_of[l->index]];
	const uint32_t first = l->index - block->first > FAR ? l->index - FAR : block->first;
	const uint32_t end = block->end - l->index > FAR ? l->index + FAR : block->end;
	const uint32_t load = loaded_by(body, first, l->index);
	struct based_address from, to;

	if (load == UINT32_MAX)
		return false;
	from = place_of(body, first, load, 1);
	to = place_of(body, first, l->index, 0);
	for (uint32_t i = first; i < end; i++)
		if (i != l->index && copies_neighbour(body, first, i, &from, &to))
			return true;
	return false;
}
