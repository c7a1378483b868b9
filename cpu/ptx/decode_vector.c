/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * "mov.v4.f32 v, {a, b, c, d};" moves element by element, by instructions that move one.
 * All elements are read before one is written, as "mov.v2.b32 {a, b}, {b, a};" needs it.
 */
#include "asserts.h"
#include "decoder.h"

unsigned decode_vector_moved(const struct insn *insn)
{
	const char *vector;

	if (insn->base != INSN_MOV || insn->opcode.length < 7)
		return 0;
	vector = insn->opcode.text + 3;
	return !memcmp(vector, ".v2.", 4) ? 2 : !memcmp(vector, ".v4.", 4) ? 4 : 0;
}

/* The instruction that moves one element for @insn; of length 0 where there is none. */
static struct ptx_name move_of(const struct insn *insn)
{
	static const char moves[][8] = { "mov.b16", "mov.u16", "mov.s16", "mov.b32",
					 "mov.u32", "mov.s32", "mov.f32", "mov.b64",
					 "mov.u64", "mov.s64", "mov.f64" };
	const char *type = insn->opcode.text + 6;

	for (size_t i = 0; i < sizeof(moves) / sizeof(moves[0]); i++)
		if (insn->opcode.length == 10 && !memcmp(type, moves[i] + 3, 4))
			return (struct ptx_name){ moves[i], 7 };
	return (struct ptx_name){ 0 };
}

static int new_register(struct decoder *d, uint8_t type, struct operand *out)
{
	*out = (struct operand){ .kind = OPERAND_REGISTER };
	return decode_new_registers(d, type, 1, &out->index);
}

/* Adds a move of element @from to @to, guarded as @whole is. */
static int add_move(struct decoder *d, const struct insn *whole, struct operand to,
		    struct operand from)
{
	const struct operand operands[] = { to, from };

	return decode_add_like(d, whole, move_of(whole).text, operands, 2);
}

/* Whether @insn has two vectors of as many elements as its opcode says, the first one of
 * registers, or "_". */
static bool is_valid(const struct body *body, const struct insn *insn)
{
	const struct operand *operands = &body->operands[insn->operand];
	const int64_t count = insn->opcode.text[5] - '0';

	if (!move_of(insn).length || insn->count != 2 || operands[0].kind != OPERAND_VECTOR ||
	    operands[1].kind != OPERAND_VECTOR || operands[0].value != count ||
	    operands[1].value != count)
		return false;
	for (int64_t i = 0; i < count; i++) {
		const enum operand_kind kind = body->elements[operands[0].index + i].kind;

		if (kind != OPERAND_SINK && kind != OPERAND_REGISTER)
			return false;
	}
	return true;
}

int decode_vector_move(struct decoder *d, const struct insn *insn)
{
	struct body *body = d->body;
	struct operand read[4];
	uint32_t to, from;
	unsigned count;

	if (!is_valid(body, insn))
		return decode_fail(d, insn->line,
				   "'%.*s' takes two vectors of %c numbers of 16, 32 or 64 bits",
				   (int)insn->opcode.length, insn->opcode.text,
				   insn->opcode.text[5]);
	to = body->operands[insn->operand].index;
	from = body->operands[insn->operand + 1].index;
	count = (unsigned)(insn->opcode.text[5] - '0');
	ASSERT(count <= sizeof(read) / sizeof(read[0]));
	ASSERT(to + count <= body->element_count && from + count <= body->element_count);
	for (unsigned i = 0; i < count; i++) {
		if (body->elements[to + i].kind == OPERAND_SINK)
			continue;
		TRY(new_register(d, body->register_types[body->elements[to + i].index], &read[i]));
		TRY(add_move(d, insn, read[i], body->elements[from + i]));
	}
	for (unsigned i = 0; i < count; i++)
		if (body->elements[to + i].kind != OPERAND_SINK)
			TRY(add_move(d, insn, body->elements[to + i], read[i]));
	return 0;
}
