/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "value.h"

#include "asserts.h"

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

bool value_is_register(const struct value *v, unsigned i, unsigned number)
{
	return v->sources[i].kind == X86_GPR && v->sources[i].number == number;
}

bool value_uses(const struct value *v, unsigned i, unsigned number)
{
	const struct x86_operand *source = &v->sources[i];

	if (source->kind == X86_MEMORY)
		return source->base == number || source->index == number;
	return value_is_register(v, i, number);
}

bool value_fits(const struct value *v, unsigned i, unsigned size)
{
	const int64_t value = v->sources[i].value;

	return value_is_immediate(v, i) && (size < 8 || value == (int32_t)value);
}

void value_swap(struct value *v)
{
	const struct x86_operand first = v->sources[0];

	v->sources[0] = v->sources[1];
	v->sources[1] = first;
}

void value_order(struct value *v)
{
	if (value_is_immediate(v, 0) && !value_is_immediate(v, 1))
		value_swap(v);
}

void value_set(struct value *v, unsigned number, uint64_t bits)
{
	if (bits <= UINT32_MAX)
		VOP(mov, x86_r32(number), x86_immediate((int64_t)bits));
	else if ((int64_t)bits == (int32_t)bits)
		VOP(mov, x86_r64(number), x86_immediate((int64_t)bits));
	else
		VOP(movabs, x86_r64(number), x86_immediate((int64_t)bits));
}

/* Source @i, which is no immediate, as @size bytes. */
static struct x86_operand sized_source(const struct value *v, unsigned i, unsigned size)
{
	const struct x86_operand source = v->sources[i];

	return source.kind == X86_GPR ? x86_gpr(size, source.number) : x86_sized(source, size);
}

void value_load(struct value *v, unsigned number, unsigned i, unsigned size)
{
	if (value_is_immediate(v, i))
		value_set(v, number, (uint64_t)v->sources[i].value & value_bits_mask(size));
	else if (size < 4)
		VOP(movzx, x86_r32(number), sized_source(v, i, size));
	else if (!value_is_register(v, i, number) || size < v->row->sizes[i + 1])
		VOP(mov, x86_gpr(size, number), sized_source(v, i, size));
}

/* The @size bytes of @bits, a signed number, with copies of the sign above. */
static int64_t extended_bits(int64_t bits, unsigned size)
{
	const unsigned above = 64 - 8 * size;

	return (int64_t)((uint64_t)bits << above) >> above;
}

void value_load_signed(struct value *v, unsigned number, unsigned i, unsigned size, unsigned width)
{
	if (value_is_immediate(v, i))
		value_set(v, number, (uint64_t)extended_bits(v->sources[i].value, size) &
					     value_bits_mask(width));
	else if (size == width)
		value_load(v, number, i, size);
	else if (size == 4)
		VOP(movsxd, x86_r64(number), sized_source(v, i, 4));
	else
		VOP(movsx, x86_gpr(width, number), sized_source(v, i, size));
}

struct x86_operand value_register(struct value *v, unsigned i, unsigned size, unsigned scratch)
{
	if (v->sources[i].kind == X86_GPR)
		return sized_source(v, i, size);
	value_load(v, scratch, i, size);
	return x86_gpr(size, scratch);
}

struct x86_operand value_memory(struct value *v, unsigned i, unsigned size, unsigned scratch)
{
	if (v->sources[i].kind == X86_MEMORY)
		return sized_source(v, i, size);
	return value_register(v, i, size, scratch);
}

struct x86_operand value_any(struct value *v, unsigned i, unsigned size, unsigned scratch)
{
	return value_fits(v, i, size) ? v->sources[i] : value_memory(v, i, size, scratch);
}

void value_widen(struct value *v, unsigned count, unsigned width)
{
	const unsigned size = v->source_size;

	ASSERT(count <= 2);
	if (size >= width)
		return;
	for (unsigned i = 0; i < count; i++) {
		const unsigned number = i ? X86_RCX : X86_RAX;

		if (value_is_immediate(v, i)) {
			v->sources[i].value = extended_bits(v->sources[i].value, size);
			continue;
		}
		value_load_signed(v, number, i, size, width);
		v->sources[i] = x86_r64(number);
	}
	v->source_size = width;
}

bool value_finish(struct value *v, unsigned number)
{
	const unsigned size = v->result_size ? v->result_size : 4;

	if (size < 4)
		VOP(movzx, x86_r32(v->result), x86_gpr(size, number));
	else if (number != v->result)
		VOP(mov, x86_gpr(size, v->result), x86_gpr(size, number));
	return true;
}
