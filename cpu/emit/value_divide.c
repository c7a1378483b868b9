/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Quotients and remainders of integers: x / 0 and x % 0 have all bits set, the least number / -1
 * wraps. The processor faults at both, so other divisors replace these.
 */
#include "select_value.h"

/* Source 1, the divisor, is an immediate and a power of two; of unsigned numbers. */
static bool divide_by_power(struct value *v, unsigned size)
{
	const uint64_t divisor = (uint64_t)v->sources[1].value;

	if (!value_is_immediate(v, 1) || !divisor || (divisor & (divisor - 1)))
		return false;
	if (v->rule->detail == VALUE_REMAINDER) {
		value_set(v, X86_RAX, divisor - 1);
		VOP(and, x86_gpr(size, X86_RAX), value_memory(v, 0, size, X86_RCX));
		return value_finish(v, X86_RAX);
	}
	value_load(v, v->result, 0, size);
	if (divisor > 1)
		VOP(shr, x86_gpr(size, v->result), x86_immediate(__builtin_ctzll(divisor)));
	return true;
}

/* Emits "result = register @number, or all ones if source 1 is 0". */
static bool finish_quotient(struct value *v, unsigned number, unsigned size)
{
	const struct x86_operand ones = x86_gpr(size, X86_RCX);

	if (value_is_immediate(v, 1) && v->sources[1].value)
		return value_finish(v, number);
	VOP(cmp, value_memory(v, 1, v->source_size, X86_RCX), x86_immediate(1));
	VOP(sbb, ones, ones);
	VOP(or, x86_gpr(size, number), ones);
	return value_finish(v, number);
}

bool value_divide(struct value *v)
{
	const unsigned size = value_width(v->result_size);
	const struct x86_operand divisor = x86_gpr(size, X86_RCX);

	if (divide_by_power(v, size))
		return true;
	value_load(v, X86_RCX, 1, size);
	if (!value_is_immediate(v, 1) || !v->sources[1].value) {
		value_set(v, X86_RDX, 1);
		VOP(cmp, divisor, x86_immediate(1));
		VOP(cmovb, divisor, x86_gpr(size, X86_RDX));
	}
	value_load(v, X86_RAX, 0, size);
	value_set(v, X86_RDX, 0);
	VOP(div, divisor);
	return finish_quotient(v, v->rule->detail == VALUE_REMAINDER ? X86_RDX : X86_RAX, size);
}

/* 0 and -1 are replaced by 1; -1 then negates the quotient. */
bool value_divide_signed(struct value *v)
{
	const unsigned size = value_width(v->result_size);
	const struct x86_operand divisor = x86_gpr(size, X86_RCX), a = x86_gpr(size, X86_RAX);
	const struct x86_operand d = x86_gpr(size, X86_RDX);

	value_load_signed(v, X86_RCX, 1, v->source_size, size);
	VOP(lea, d, x86_at(X86_RCX, 1));
	VOP(cmp, d, x86_immediate(1));
	value_set(v, X86_RDX, 1);
	VOP(cmovbe, divisor, d);
	value_load_signed(v, X86_RAX, 0, v->source_size, size);
	VOP(mov, d, a);
	VOP(sar, d, x86_immediate(8 * size - 1));
	VOP(idiv, divisor);
	if (v->rule->detail == VALUE_REMAINDER)
		return finish_quotient(v, X86_RDX, size);
	value_load_signed(v, X86_RCX, 1, v->source_size, size);
	VOP(mov, d, a);
	VOP(neg, d);
	VOP(cmp, divisor, x86_immediate(-1));
	VOP(cmove, a, d);
	return finish_quotient(v, X86_RAX, size);
}
