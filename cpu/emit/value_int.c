/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Integers: arithmetic but for division, comparisons, conversions. */
#include "select_value.h"

/*
 * Where an instruction computes whose first operand is source 0 and its destination: in the
 * result, but in rax where that would change source 1.
 */
static unsigned place_of_first(const struct value *v)
{
	if (value_uses(v, 1, v->result) && !value_is_register(v, 0, v->result))
		return X86_RAX;
	return v->result;
}

/* Source 0, a register, plus source 1 by lea: the result is a third register, or is source 1. */
static bool add_by_lea(struct value *v, unsigned size)
{
	const struct x86_operand *a = &v->sources[0], *b = &v->sources[1];

	if (a->kind != X86_GPR || a->number == v->result)
		return false;
	if (value_fits(v, 1, size))
		VOP(lea, x86_gpr(size, v->result), x86_at(a->number, (int32_t)b->value));
	else if (b->kind == X86_GPR && b->number != v->result)
		VOP(lea, x86_gpr(size, v->result), x86_indexed(a->number, b->number, 1, 0));
	else
		return false;
	return value_finish(v, v->result);
}

/* a - constant is a + -constant: for lea. */
static bool subtract_constant(struct value *v, unsigned size)
{
	const int64_t bits = v->sources[1].value;

	if (!value_fits(v, 1, size) || (size == 8 && bits == INT32_MIN))
		return false;
	v->sources[1].value = -bits;
	if (add_by_lea(v, size))
		return true;
	v->sources[1].value = bits;
	return false;
}

/* The rule's instruction, of two sources; its detail: they may change places. */
bool value_binary(struct value *v)
{
	const unsigned size = value_width(v->result_size);
	struct x86_operand b;
	unsigned to;

	if (v->rule->detail)
		value_order(v);
	if (v->rule->detail && value_is_register(v, 1, v->result))
		value_swap(v);
	if (v->rule->name == X86_add && add_by_lea(v, size))
		return true;
	if (v->rule->name == X86_sub && subtract_constant(v, size))
		return true;
	to = place_of_first(v);
	b = value_any(v, 1, size, X86_RCX);
	value_load(v, to, 0, size);
	x86_emit(v->x, v->rule->name, x86_gpr(size, to), b);
	return value_finish(v, to);
}

bool value_unary(struct value *v)
{
	const unsigned size = value_width(v->result_size);

	value_load(v, v->result, 0, size);
	x86_emit(v->x, v->rule->name, x86_gpr(size, v->result));
	return value_finish(v, v->result);
}

static bool is_power_of_two(uint64_t bits)
{
	return bits && !(bits & (bits - 1));
}

/* Emits "register @to = source 0 * the immediate @factor". */
static void multiply_by(struct value *v, unsigned to, unsigned size, int64_t factor)
{
	const struct x86_operand *a = &v->sources[0];
	const struct x86_operand product = x86_gpr(size, to);

	if (is_power_of_two((uint64_t)factor)) {
		value_load(v, to, 0, size);
		if (factor != 1)
			VOP(shl, product, x86_immediate(__builtin_ctzll((uint64_t)factor)));
	} else if (a->kind == X86_GPR && (factor == 3 || factor == 5 || factor == 9)) {
		VOP(lea, product, x86_indexed(a->number, a->number, (unsigned)factor - 1, 0));
	} else {
		VOP(imul, product, value_memory(v, 0, size, to), x86_immediate(factor));
	}
}

/* Emits "register @to = source 0 * source 1". Only if source 0 is @to may source 1 depend on it. */
static void multiply_into(struct value *v, unsigned to, unsigned size)
{
	struct x86_operand b;

	if (value_fits(v, 1, size) || (value_is_immediate(v, 1) &&
				      is_power_of_two((uint64_t)v->sources[1].value))) {
		multiply_by(v, to, size, v->sources[1].value);
		return;
	}
	b = value_memory(v, 1, size, X86_RCX);
	value_load(v, to, 0, size);
	VOP(imul, x86_gpr(size, to), b);
}

/* a * scale + c by one lea. */
static bool add_scaled(struct value *v, unsigned size)
{
	const struct x86_operand *a = &v->sources[0], *scale = &v->sources[1], *c = &v->sources[2];
	const bool constant = value_fits(v, 2, size);

	if (a->kind != X86_GPR || (!constant && c->kind != X86_GPR))
		return false;
	if (!value_is_immediate(v, 1) || !is_power_of_two((uint64_t)scale->value) ||
	    (uint64_t)scale->value > 8)
		return false;
	VOP(lea, x86_gpr(size, v->result),
	    x86_indexed(constant ? X86_NO_REGISTER : c->number, a->number, (unsigned)scale->value,
			constant ? (int32_t)c->value : 0));
	return value_finish(v, v->result);
}

/* Emits "result = rax + source 2". */
static bool add_third(struct value *v, unsigned size)
{
	const struct x86_operand *c = &v->sources[2];

	if (value_fits(v, 2, size))
		VOP(lea, x86_gpr(size, v->result), x86_at(X86_RAX, (int32_t)c->value));
	else if (c->kind == X86_GPR)
		VOP(lea, x86_gpr(size, v->result), x86_indexed(X86_RAX, c->number, 1, 0));
	else {
		VOP(add, x86_gpr(size, X86_RAX), value_memory(v, 2, size, X86_RCX));
		return value_finish(v, X86_RAX);
	}
	return value_finish(v, v->result);
}

/* The low half of a product, or all of it where the result is wider; of three sources, plus one. */
bool value_multiply(struct value *v)
{
	const unsigned size = value_width(v->result_size);
	unsigned to;

	value_order(v);
	if (v->row->is_signed)
		value_widen(v, 2, v->result_size);
	if (v->row->sources == 3) {
		if (add_scaled(v, size))
			return true;
		multiply_into(v, X86_RAX, size);
		return add_third(v, size);
	}
	if (value_is_register(v, 1, v->result))
		value_swap(v);
	to = place_of_first(v);
	multiply_into(v, to, size);
	return value_finish(v, to);
}

/* The high half of a product of at most 32 bits each: of all of it. Of three sources, plus one. */
bool value_multiply_high(struct value *v)
{
	const unsigned bits = 8 * v->source_size, size = value_width(2 * v->source_size);

	value_order(v);
	if (v->row->is_signed)
		value_widen(v, 2, size);
	multiply_into(v, X86_RAX, size);
	VOP(shr, x86_gpr(size, X86_RAX), x86_immediate(bits));
	return v->row->sources == 3 ? add_third(v, 4) : value_finish(v, X86_RAX);
}

/* The rule's instruction, mul or imul: rdx has the high half. */
bool value_multiply_high_64(struct value *v)
{
	value_load(v, X86_RAX, 0, 8);
	x86_emit(v->x, v->rule->name, value_memory(v, 1, 8, X86_RCX));
	if (v->row->sources == 3)
		VOP(add, x86_r64(X86_RDX), value_any(v, 2, 8, X86_RAX));
	return value_finish(v, X86_RDX);
}

/* min, max: the rule's cmov replaces the first source by the second. */
bool value_choose(struct value *v)
{
	const unsigned size = value_width(v->source_size);
	struct x86_operand b;

	if (v->row->is_signed)
		value_widen(v, 2, size);
	value_load(v, X86_RAX, 0, size);
	b = value_memory(v, 1, size, X86_RCX);
	VOP(cmp, x86_gpr(size, X86_RAX), b);
	x86_emit(v->x, v->rule->name, x86_gpr(size, X86_RAX), b);
	return value_finish(v, X86_RAX);
}

bool value_absolute(struct value *v)
{
	const unsigned size = value_width(v->source_size);

	value_load_signed(v, X86_RCX, 0, v->source_size, size);
	VOP(mov, x86_gpr(size, X86_RAX), x86_gpr(size, X86_RCX));
	VOP(neg, x86_gpr(size, X86_RAX));
	VOP(cmovs, x86_gpr(size, X86_RAX), x86_gpr(size, X86_RCX));
	return value_finish(v, X86_RAX);
}

/* |a - b| + c: the rule's cmov chooses b - a. */
bool value_difference(struct value *v)
{
	const unsigned size = value_width(v->source_size);
	const struct x86_operand a = x86_gpr(size, X86_RAX), b = x86_gpr(size, X86_RCX);

	if (v->row->is_signed)
		value_widen(v, 2, size);
	value_load(v, X86_RAX, 0, size);
	value_load(v, X86_RCX, 1, size);
	VOP(mov, x86_gpr(size, X86_RDX), a);
	VOP(sub, x86_gpr(size, X86_RDX), b);
	VOP(sub, b, a);
	x86_emit(v->x, v->rule->name, x86_gpr(size, X86_RDX), b);
	VOP(mov, a, x86_gpr(size, X86_RDX));
	return add_third(v, size);
}

/* cnot */
bool value_is_zero(struct value *v)
{
	const unsigned size = v->source_size;

	VOP(cmp, value_memory(v, 0, size, X86_RAX), x86_immediate(0));
	VOP(sete, x86_gpr(1, X86_RAX));
	VOP(movzx, x86_r32(v->result), x86_gpr(1, X86_RAX));
	return true;
}

/*
 * setp: the detail is the condition. The sources are compared in their own size; only then is the
 * result written, which may be one of them.
 */
bool value_compare(struct value *v)
{
	const unsigned size = v->source_size, condition = (unsigned)v->rule->detail;
	struct x86_operand a, b;

	b = value_any(v, 1, size, X86_RCX);
	a = b.kind == X86_MEMORY ? value_register(v, 0, size, X86_RAX) :
				   value_memory(v, 0, size, X86_RAX);
	VOP(cmp, a, b);
	if (condition == X86_B) {
		VOP(sbb, x86_r32(v->result), x86_r32(v->result));
		return true;
	}
	VOP(mov, x86_r32(v->result), x86_immediate(0));
	x86_emit(v->x, X86_seto + condition, x86_gpr(1, v->result));
	VOP(neg, x86_r32(v->result));
	return true;
}

/* cvt without .sat: the detail is whether the source has a sign, which is copied upwards. */
bool value_convert(struct value *v)
{
	const unsigned from = v->source_size, to = v->result_size;

	if (v->rule->detail && from < to) {
		value_load_signed(v, X86_RAX, 0, from, value_width(to));
		return value_finish(v, X86_RAX);
	}
	value_load(v, v->result, 0, from < to ? from : to);
	return true;
}

/*
 * cvt.sat, where the source has values that the result has not; in 64 bits. The detail is whether
 * the source has a sign.
 */
bool value_clamp(struct value *v)
{
	const unsigned bits = 8 * v->result_size - v->row->is_signed;
	const uint64_t greatest = bits < 64 ? (1ull << bits) - 1 : ~0ull;
	const struct x86_operand a = x86_r64(X86_RAX), limit = x86_r64(X86_RCX);

	if (!v->rule->detail) {
		value_load(v, X86_RAX, 0, value_width(v->source_size));
		value_set(v, X86_RCX, greatest);
		VOP(cmp, a, limit);
		VOP(cmova, a, limit);
		return value_finish(v, X86_RAX);
	}
	value_load_signed(v, X86_RAX, 0, v->source_size, 8);
	value_set(v, X86_RCX, v->row->is_signed ? ~greatest : 0);
	VOP(cmp, a, limit);
	VOP(cmovl, a, limit);
	value_set(v, X86_RCX, greatest > INT64_MAX ? INT64_MAX : greatest);
	VOP(cmp, a, limit);
	VOP(cmovg, a, limit);
	return value_finish(v, X86_RAX);
}
