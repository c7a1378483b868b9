/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Short forms: "st.u32 [d], r + 1;" adds first, and an opcode may have blanks in it,
 * "add .s32".
 */
#include "decoder.h"


enum { LONGEST_OPCODE = 160 };

int decode_add_like(struct decoder *d, const struct insn *like, const char *opcode,
		    const struct operand *operands, uint8_t count)
{
	struct body *body = d->body;
	struct insn insn = *like;

	insn.opcode = (struct ptx_name){ opcode, (uint32_t)strlen(opcode) };
	insn.base = (uint8_t)insn_base_find(insn.opcode);
	insn.operand = (uint32_t)body->operand_count;
	insn.count = count;
	for (unsigned i = 0; i < count; i++) {
		struct operand *slot = array_grow(&body->operands, body->operand_count,
						  sizeof(*slot));

		if (!slot)
			return err_set(d->e, GPURUN_NO_MEMORY, "no memory for operands");
		*slot = operands[i];
		body->operand_count++;
	}
	return decode_add(d, &insn);
}

/* The instruction that adds to a register of @type; NULL where there is none. */
static const char *adder_of(enum ptx_type type)
{
	if (type_float(type) || type == TYPE_OTHER)
		return NULL;
	switch (type_size(type)) {
	case 2: return "add.u16";
	case 4: return "add.u32";
	case 8: return "add.u64";
	}
	return NULL;
}

static int add_sum(struct decoder *d, const struct insn *insn, const struct sum *sum)
{
	struct body *body = d->body;
	const uint32_t at = insn->operand + sum->operand;
	const struct operand from = body->operands[at];
	const enum ptx_type type = body->register_types[from.index];
	const char *adder = adder_of(type);
	struct operand operands[] = { { .kind = OPERAND_REGISTER }, from,
				      { .kind = OPERAND_INTEGER, .value = sum->addend } };

	if (!adder || from.value)
		return decode_fail(d, insn->line, "a number is added to a register that is no "
				   "integer of 16, 32 or 64 bits");
	if (sum->operand < insn_results(body, insn))
		return decode_fail(d, insn->line, "'%.*s' has a sum for its result",
				   (int)insn->opcode.length, insn->opcode.text);
	operands[1].paired = false;
	TRY(decode_new_registers(d, type, 1, &operands[0].index));
	TRY(decode_add_like(d, insn, adder, operands, 3));
	body->operands[at].index = operands[0].index;
	return 0;
}

int decode_sums(struct decoder *d, const struct insn *insn)
{
	for (unsigned i = 0; i < d->sum_count; i++)
		TRY(add_sum(d, insn, &d->sums[i]));
	return 0;
}

int decode_keep_text(struct decoder *d, const char *text, uint32_t length, struct ptx_name *out)
{
	struct body *body = d->body;
	char **slot = array_grow(&body->texts, body->text_count, sizeof(*slot));

	if (slot)
		*slot = strndup(text, length);
	if (!slot || !*slot)
		return err_set(d->e, GPURUN_NO_MEMORY, "no memory for a name");
	*out = (struct ptx_name){ body->texts[body->text_count++], length };
	return 0;
}

int decode_rest(struct decoder *d, struct ptx_name *opcode)
{
	char text[LONGEST_OPCODE + 1];
	uint32_t length = opcode->length;

	if (d->token.kind != PTX_WORD || d->token.text[0] != '.')
		return 0;
	if (length <= LONGEST_OPCODE)
		memcpy(text, opcode->text, length);
	while (d->token.kind == PTX_WORD && d->token.text[0] == '.') {
		if (length > LONGEST_OPCODE || d->token.length > LONGEST_OPCODE - length)
			return decode_fail(d, d->token.line, "no opcode is that long");
		memcpy(text + length, d->token.text, d->token.length);
		length += d->token.length;
		advance(d);
	}
	return decode_keep_text(d, text, length, opcode);
}
