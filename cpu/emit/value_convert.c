/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Conversions from and to floating-point numbers. */
#include <string.h>

#include "select_value.h"

/* 2^63, 2^64 as f64. */
static const uint64_t two_63 = 0x43e0000000000000, two_64 = 0x43f0000000000000;
static const uint64_t top_bit = 1ull << 63;

/* Emits "xmm12 = source 0, to an integral number as the detail says, as f64". */
static void load_integral(struct value *v)
{
	const struct x86_operand x = x86_xmm(12), how = x86_immediate(8 | (v->rule->detail & 3));

	value_load_number(v, 12, 0);
	if (v->source_size == 8) {
		VOP(vroundsd, x, x, x, how);
	} else {
		VOP(vroundss, x, x, x, how);
		VOP(vcvtss2sd, x, x, x);
	}
}

static uint64_t bits_of(double number)
{
	uint64_t bits;

	memcpy(&bits, &number, sizeof(bits));
	return bits;
}

/* To at most 32 bits: clamped as f64, for conversions are not. NaN is 0, of f64 the top bit. */
bool value_to_integer(struct value *v)
{
	const unsigned bits = 8 * v->result_size;
	const bool is_signed = v->row->is_signed;
	const double least = is_signed ? -(double)(1ull << (bits - 1)) : 0;
	const double greatest = (double)((1ull << (bits - is_signed)) - 1);
	const struct x86_operand x = x86_xmm(12), limit = x86_xmm(13), clamped = x86_xmm(14);

	load_integral(v);
	value_set_number(v, 13, true, bits_of(least));
	VOP(vmaxsd, clamped, x, limit);
	value_set_number(v, 13, true, bits_of(greatest));
	VOP(vminsd, clamped, clamped, limit);
	VOP(vcvttsd2si, x86_r64(X86_RAX), clamped);
	value_set(v, X86_RCX, v->source_size == 8 ? 1ull << (bits - 1) : 0);
	VOP(vucomisd, x, x);
	VOP(cmovp, x86_r64(X86_RAX), x86_r64(X86_RCX));
	return value_finish(v, X86_RAX);
}

/* What is outside, and NaN, becomes the least one; what is above has to be the greatest. */
bool value_to_s64(struct value *v)
{
	load_integral(v);
	VOP(vcvttsd2si, x86_r64(X86_RCX), x86_xmm(12));
	value_set_number(v, 13, true, two_63);
	value_set(v, X86_RDX, INT64_MAX);
	VOP(vucomisd, x86_xmm(12), x86_xmm(13));
	VOP(cmovae, x86_r64(X86_RCX), x86_r64(X86_RDX));
	return value_finish(v, X86_RCX);
}

/* From 2^63 on, 2^63 less is converted. */
bool value_to_u64(struct value *v)
{
	const struct x86_operand low = x86_r64(X86_RCX), high = x86_r64(X86_RDX);
	const struct x86_operand top = x86_r64(X86_RAX);
	const struct x86_operand x = x86_xmm(12), limit = x86_xmm(13), above = x86_xmm(14);

	load_integral(v);
	value_set_number(v, 15, true, 0);
	VOP(vmaxsd, x86_xmm(15), x, x86_xmm(15)); /* NaN is 0 */
	value_set_number(v, 13, true, two_63);
	VOP(vsubsd, above, x86_xmm(15), limit);
	VOP(vcvttsd2si, low, x86_xmm(15));
	VOP(vcvttsd2si, high, above);
	value_set(v, X86_RAX, top_bit);
	VOP(xor, high, top);
	VOP(vucomisd, x, x);
	VOP(cmovp, low, top);
	VOP(vucomisd, x86_xmm(15), limit);
	VOP(cmovae, low, high);
	value_set_number(v, 13, true, two_64);
	value_set(v, X86_RDX, ~0ull);
	VOP(vucomisd, x86_xmm(15), limit);
	VOP(cmovae, low, high);
	return value_finish(v, X86_RCX);
}

/* The rule's instruction, which converts signed numbers: u32 in 64 bits, all smaller ones in 32. */
bool value_from_integer(struct value *v)
{
	const unsigned size = v->source_size;
	const bool is_signed = v->rule->detail & VALUE_SIGNED;
	const unsigned width = size == 8 || (size == 4 && !is_signed) ? 8 : 4;

	if (is_signed)
		value_load_signed(v, X86_RAX, 0, size, width);
	else
		value_load(v, X86_RAX, 0, size);
	VOP(vxorps, x86_xmm(12), x86_xmm(12), x86_xmm(12));
	x86_emit(v->x, v->rule->name, x86_xmm(12), x86_xmm(12), x86_gpr(width, X86_RAX));
	return value_finish_number(v);
}

/*
 * From 2^63 on half of the number is converted, and doubled: its last bit also has what was cut
 * off, so that it is rounded the right way.
 */
bool value_from_u64(struct value *v)
{
	const bool wide = v->result_size == 8;
	const struct x86_operand a = x86_r64(X86_RAX), half = x86_r64(X86_RCX);
	const struct x86_operand cut = x86_r64(X86_RDX);
	const struct x86_operand whole = x86_xmm(12), doubled = x86_xmm(13);
	const enum x86_name move = wide ? X86_vmovq : X86_vmovd;
	const unsigned size = v->result_size;

	value_load(v, X86_RAX, 0, 8);
	VOP(mov, half, a);
	VOP(mov, cut, a);
	VOP(shr, half, x86_immediate(1));
	VOP(and, x86_r32(X86_RDX), x86_immediate(1));
	VOP(or, half, cut);
	VOP(vxorps, whole, whole, whole);
	x86_emit(v->x, v->rule->name, doubled, whole, half);
	x86_emit(v->x, v->rule->name, whole, whole, a);
	x86_emit(v->x, wide ? X86_vaddsd : X86_vaddss, doubled, doubled, doubled);
	x86_emit(v->x, move, x86_gpr(size, X86_RCX), whole);
	x86_emit(v->x, move, x86_gpr(size, X86_RDX), doubled);
	VOP(test, a, a);
	VOP(cmovs, x86_r64(X86_RCX), x86_r64(X86_RDX));
	x86_emit(v->x, move, whole, x86_gpr(size, X86_RCX));
	return value_finish_number(v);
}

/* From one size to another. */
bool value_resize(struct value *v)
{
	const struct x86_operand x = x86_xmm(12);

	value_load_number(v, 12, 0);
	if (v->result_size == 8 && v->source_size < 8)
		VOP(vcvtss2sd, x, x, x);
	if (v->result_size < 8 && v->source_size == 8)
		VOP(vcvtsd2ss, x, x, x);
	return value_finish_number(v);
}

/* To an integral number of the same type. An f64 that is NaN does not change. */
bool value_round(struct value *v)
{
	const bool keeps = v->source_size == 8 && !(v->rule->detail & VALUE_SATURATED);
	const struct x86_operand x = x86_xmm(12);

	value_load_number(v, 12, 0);
	if (keeps)
		VOP(vmovq, x86_r64(X86_RCX), x);
	x86_emit(v->x, v->rule->name, x, x, x, x86_immediate(8 | (v->rule->detail & 3)));
	if (!keeps)
		return value_finish_number(v);
	VOP(vmovq, x86_r64(v->result), x);
	VOP(vucomisd, x, x);
	VOP(cmovp, x86_r64(v->result), x86_r64(X86_RCX));
	return true;
}

/* Two f32 to f16x2 or bf16x2: source 0 is the upper half. */
bool value_pack(struct value *v)
{
	const struct op_row *row = v->row;
	const unsigned result = v->result;

	v->result_size = 2;
	value_load_number(v, 13, 1);
	value_load_number(v, 12, 0);
	v->result = X86_RDX;
	value_finish_number(v);
	VOP(vmovaps, x86_xmm(12), x86_xmm(13));
	v->result = X86_RCX;
	value_finish_number(v);
	VOP(shl, x86_r32(X86_RDX), x86_immediate(16));
	VOP(or, x86_r32(X86_RCX), x86_r32(X86_RDX));
	v->result = result;
	v->result_size = row->sizes[0];
	return value_finish(v, X86_RCX);
}
