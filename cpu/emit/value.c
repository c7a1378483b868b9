/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "asserts.h"
#include "select_value.h"

/* What value.def says of a row, found by the row's first handler. */
#define VALUE(handler, function, instruction, detail_) RULE_##handler,
enum {
	RULE_NONE,
#include "value.def"
};

#define VALUE(handler, function, instruction, detail_)                                     \
	[RULE_##handler] = { value_##function, X86_##instruction, detail_ },
static const struct value_rule rules[] = {
#include "value.def"
};

#define VALUE(handler, ...) [HANDLER_##handler - HANDLER_ROWS] = RULE_##handler,
static const uint16_t rule_of[HANDLER_BRANCHES - HANDLER_ROWS] = {
#include "value.def"
};

static const struct value_rule *find_rule(const struct op_row *row)
{
	const unsigned handler = row->forms[0];

	ASSERT(handler >= HANDLER_ROWS && handler < HANDLER_BRANCHES);
	return &rules[rule_of[handler - HANDLER_ROWS]];
}

bool select_has_value(const struct op_row *row)
{
	return find_rule(row)->emit;
}

static bool may_be_operand(const struct x86_operand *operand)
{
	if (operand->kind != X86_GPR)
		return operand->kind == X86_MEMORY || operand->kind == X86_IMMEDIATE;
	return operand->bytes == 8 && operand->number != X86_RSP && operand->number > X86_RDX;
}

bool select_value(struct select *s, const struct op_row *row, struct x86_operand result,
		  const struct x86_operand sources[4])
{
	struct value v = { s->x, row, find_rule(row), { { 0 } }, result.number,
			   row->sizes[1], row->sizes[0] };

	ASSERT(result.kind == X86_GPR && may_be_operand(&result));
	if (!v.rule->emit)
		return false;
	for (unsigned i = 0; i < row->sources; i++) {
		v.sources[i] = sources[i];
		ASSERT(may_be_operand(&sources[i]));
		if (value_is_immediate(&v, i))
			v.sources[i].value &= (int64_t)value_bits_mask(row->sizes[i + 1]);
	}
	return v.rule->emit(&v);
}
