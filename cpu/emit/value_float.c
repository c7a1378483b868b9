/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Floating-point numbers: arithmetic, signs, min and max, comparisons. Of two NaNs an f64 result is
 * the first source's.
 */
#include "select_value.h"

static const uint32_t f32_nan = 0x7fffffff, f32_sign = 0x80000000, f32_one = 0x3f800000;
static const uint64_t f64_sign = 1ull << 63, f64_one = 0x3ff0000000000000;

void value_set_number(struct value *v, unsigned number, bool wide, uint64_t bits)
{
	if (!bits) {
		VOP(vxorps, x86_xmm(number), x86_xmm(number), x86_xmm(number));
		return;
	}
	value_set(v, X86_RAX, bits);
	if (wide)
		VOP(vmovq, x86_xmm(number), x86_r64(X86_RAX));
	else
		VOP(vmovd, x86_xmm(number), x86_r32(X86_RAX));
}

void value_load_number(struct value *v, unsigned number, unsigned i)
{
	const unsigned size = v->row->sizes[i + 1];
	const bool bf16 = v->rule->detail & VALUE_BF16;

	if (size == 8) {
		VOP(vmovq, x86_xmm(number), value_memory(v, i, 8, X86_RAX));
		return;
	}
	if (size == 4) {
		VOP(vmovd, x86_xmm(number), value_memory(v, i, 4, X86_RAX));
		return;
	}
	value_load(v, X86_RAX, i, 2);
	if (bf16)
		VOP(shl, x86_r32(X86_RAX), x86_immediate(16));
	VOP(vmovd, x86_xmm(number), x86_r32(X86_RAX));
	if (!bf16)
		VOP(vcvtph2ps, x86_xmm(number), x86_xmm(number));
}

struct x86_operand value_number(struct value *v, unsigned i, unsigned scratch)
{
	if (v->sources[i].kind == X86_MEMORY && v->row->sizes[i + 1] >= 4)
		return x86_sized(v->sources[i], v->row->sizes[i + 1]);
	value_load_number(v, scratch, i);
	return x86_xmm(scratch);
}

/* Emits "xmm12 is at least 0 and at most 1; NaN and -0 become 0". Uses xmm15. */
static void saturate_number(struct value *v)
{
	const bool wide = v->result_size == 8;
	const struct x86_operand x = x86_xmm(12), limit = x86_xmm(15);

	value_set_number(v, 15, wide, 0);
	x86_emit(v->x, wide ? X86_vmaxsd : X86_vmaxss, x, x, limit);
	value_set_number(v, 15, wide, wide ? f64_one : f32_one);
	x86_emit(v->x, wide ? X86_vminsd : X86_vminss, x, x, limit);
}

/* Emits "the result is @nan if the flags say unordered". */
static void replace_nan(struct value *v, uint32_t nan)
{
	value_set(v, X86_RAX, nan);
	VOP(cmovp, x86_r32(v->result), x86_r32(X86_RAX));
}

/* To nearest, ties to even. */
static bool finish_bf16(struct value *v)
{
	const struct x86_operand bits = x86_r32(v->result), last = x86_r32(X86_RAX);

	VOP(vmovd, bits, x86_xmm(12));
	VOP(mov, last, bits);
	VOP(shr, last, x86_immediate(16));
	VOP(and, last, x86_immediate(1));
	VOP(lea, bits, x86_indexed(v->result, X86_RAX, 1, 0x7fff));
	VOP(shr, bits, x86_immediate(16));
	VOP(vucomiss, x86_xmm(12), x86_xmm(12));
	replace_nan(v, 0x7fff);
	return true;
}

bool value_finish_number(struct value *v)
{
	const struct x86_operand x = x86_xmm(12), result = x86_r32(v->result);

	if (v->rule->detail & VALUE_SATURATED)
		saturate_number(v);
	if (v->result_size == 8) {
		VOP(vmovq, x86_r64(v->result), x);
	} else if (v->result_size == 4) {
		VOP(vmovd, result, x);
		if (v->rule->detail & (VALUE_SATURATED | VALUE_KEEPS_NAN))
			return true;
		VOP(vucomiss, x, x);
		replace_nan(v, f32_nan);
	} else if (v->rule->detail & VALUE_TO_BF16) {
		return finish_bf16(v);
	} else {
		VOP(vucomiss, x, x);
		VOP(vcvtps2ph, x, x, x86_immediate(v->rule->detail & VALUE_LOW));
		VOP(vmovd, result, x);
		replace_nan(v, 0x7fff);
		return value_finish(v, v->result);
	}
	return true;
}

/* The rule's instruction, of two sources. */
bool value_operate(struct value *v)
{
	value_load_number(v, 12, 0);
	x86_emit(v->x, v->rule->name, x86_xmm(12), x86_xmm(12), value_number(v, 1, 13));
	return value_finish_number(v);
}

/* The instruction prefers the NaN of its second operand, so that is source 0. */
bool value_multiply_add(struct value *v)
{
	value_load_number(v, 12, 1);
	value_load_number(v, 13, 0);
	x86_emit(v->x, v->rule->name, x86_xmm(12), x86_xmm(13), value_number(v, 2, 14));
	return value_finish_number(v);
}

bool value_root(struct value *v)
{
	value_load_number(v, 12, 0);
	x86_emit(v->x, v->rule->name, x86_xmm(12), x86_xmm(12), x86_xmm(12));
	return value_finish_number(v);
}

bool value_reciprocal(struct value *v)
{
	const bool wide = v->result_size == 8;

	value_set_number(v, 12, wide, wide ? f64_one : f32_one);
	x86_emit(v->x, v->rule->name, x86_xmm(12), x86_xmm(12), value_number(v, 0, 13));
	return value_finish_number(v);
}

/* div.approx: 1 / b is 0 where |b| is above 2^126. */
bool value_divide_roughly(struct value *v)
{
	const struct x86_operand bits = x86_r32(X86_RCX), sign = x86_r32(X86_RDX);

	value_load_number(v, 12, 0);
	value_load(v, X86_RCX, 1, 4);
	VOP(vmovd, x86_xmm(13), bits);
	VOP(mov, sign, bits);
	VOP(and, sign, x86_immediate(f32_sign));
	VOP(and, bits, x86_immediate(0x7fffffff));
	VOP(vmovd, x86_xmm(14), bits);
	value_set_number(v, 15, false, 0x7e800000);
	VOP(vucomiss, x86_xmm(14), x86_xmm(15));
	VOP(vmovd, x86_xmm(14), sign);
	VOP(vmulss, x86_xmm(14), x86_xmm(12), x86_xmm(14));
	VOP(vdivss, x86_xmm(12), x86_xmm(12), x86_xmm(13));
	VOP(vmovd, bits, x86_xmm(12));
	VOP(vmovd, sign, x86_xmm(14));
	VOP(cmova, bits, sign);
	VOP(vmovd, x86_xmm(12), bits);
	return value_finish_number(v);
}

/* rsqrt.approx.f32, in the steps of op_rsqrt_approx_f32(). */
bool value_reciprocal_root(struct value *v)
{
	const struct x86_operand a = x86_xmm(12), y = x86_xmm(13), t = x86_xmm(14), u = x86_xmm(15);

	value_load_number(v, 12, 0);
	VOP(vsqrtss, y, a, a);
	value_set_number(v, 14, false, f32_one);
	VOP(vdivss, y, t, y);
	VOP(vmovd, x86_r32(X86_RDX), y); /* the estimate */
	VOP(vcvtss2sd, y, y, y);
	VOP(vcvtss2sd, a, a, a);
	VOP(vmulsd, a, a, y);
	VOP(vmulsd, a, a, y);
	value_set_number(v, 14, true, f64_one);
	VOP(vsubsd, a, t, a); /* e */
	value_set_number(v, 14, true, 0x3fd8000000000000); /* 0.375 */
	VOP(vmulsd, t, a, t);
	value_set_number(v, 15, true, 0x3fe0000000000000); /* 0.5 */
	VOP(vaddsd, t, u, t);
	VOP(vmulsd, u, y, a);
	VOP(vmulsd, t, u, t);
	VOP(vaddsd, y, y, t);
	VOP(vcvtsd2ss, y, y, y);
	VOP(vmovd, x86_r32(X86_RCX), y);
	VOP(vucomiss, y, y);
	VOP(cmovp, x86_r32(X86_RCX), x86_r32(X86_RDX));
	VOP(vmovd, a, x86_r32(X86_RCX));
	return value_finish_number(v);
}

/* Emits "a subnormal f32 in register @number becomes 0 with its sign". Uses rax. */
static void flush_number(struct value *v, unsigned number)
{
	VOP(mov, x86_r32(X86_RAX), x86_r32(number));
	VOP(and, x86_r32(X86_RAX), x86_immediate(f32_sign));
	VOP(test, x86_r32(number), x86_immediate(0x7f800000));
	VOP(cmove, x86_r32(number), x86_r32(X86_RAX));
}

static bool change_sign_f64(struct value *v)
{
	const bool negated = v->rule->detail & VALUE_NEGATED;

	value_set(v, X86_RAX, negated ? f64_sign : ~f64_sign);
	x86_emit(v->x, negated ? X86_xor : X86_and, x86_r64(X86_RAX), value_any(v, 0, 8, X86_RCX));
	return value_finish(v, X86_RAX);
}

/* abs, neg, or neither: NaN becomes the canonical one. */
bool value_sign(struct value *v)
{
	const int detail = v->rule->detail;
	const bool narrow = v->source_size == 2;
	const uint32_t infinity = !narrow ? 0x7f800000 : detail & VALUE_BF16 ? 0x7f80 : 0x7c00;
	const struct x86_operand bits = x86_r32(X86_RCX), magnitude = x86_r32(X86_RAX);

	if (v->source_size == 8)
		return change_sign_f64(v);
	value_load(v, X86_RCX, 0, v->source_size);
	if (detail & VALUE_FLUSHED)
		flush_number(v, X86_RCX);
	VOP(mov, magnitude, bits);
	VOP(and, magnitude, x86_immediate(narrow ? 0x7fff : 0x7fffffff));
	if (detail & VALUE_NEGATED)
		VOP(xor, bits, x86_immediate(narrow ? 0x8000 : f32_sign));
	if (detail & VALUE_ABSOLUTE)
		VOP(mov, bits, magnitude);
	VOP(cmp, magnitude, x86_immediate(infinity));
	value_set(v, X86_RAX, narrow ? 0x7fff : f32_nan);
	VOP(cmova, bits, magnitude);
	return value_finish(v, X86_RCX);
}

/* The sign of source 0 on the value of source 1. */
bool value_copy_sign(struct value *v)
{
	const unsigned size = v->result_size;
	const struct x86_operand bits = x86_gpr(size, X86_RAX), mask = x86_gpr(size, X86_RCX);

	value_load(v, X86_RAX, 1, size);
	VOP(shl, bits, x86_immediate(1));
	value_load(v, X86_RCX, 0, size);
	VOP(shr, mask, x86_immediate(8 * size - 1));
	VOP(or, bits, mask);
	VOP(ror, bits, x86_immediate(1));
	return value_finish(v, X86_RAX);
}

/* Loads what is chosen from into rcx and rdx; for .xorsign without signs, and that into xmm15. */
static void load_choices(struct value *v)
{
	const int detail = v->rule->detail;
	const unsigned size = v->result_size;

	value_load(v, X86_RCX, 0, size);
	value_load(v, X86_RDX, 1, size);
	if (detail & VALUE_FLUSHED) {
		flush_number(v, X86_RCX);
		flush_number(v, X86_RDX);
	}
	if (detail & VALUE_XORSIGN) {
		VOP(mov, x86_r32(X86_RAX), x86_r32(X86_RCX));
		VOP(xor, x86_r32(X86_RAX), x86_r32(X86_RDX));
		VOP(and, x86_r32(X86_RAX), x86_immediate(f32_sign));
		VOP(vmovd, x86_xmm(15), x86_r32(X86_RAX));
		VOP(and, x86_r32(X86_RCX), x86_immediate(0x7fffffff));
		VOP(and, x86_r32(X86_RDX), x86_immediate(0x7fffffff));
	}
}

/* Emits "the sign of xmm15 is that of eax, but of NaN". */
static void sign_choice(struct value *v)
{
	VOP(vmovd, x86_r32(X86_RCX), x86_xmm(15));
	VOP(or, x86_r32(X86_RCX), x86_r32(X86_RAX));
	VOP(cmp, x86_r32(X86_RAX), x86_immediate(f32_nan));
	VOP(cmovne, x86_r32(X86_RAX), x86_r32(X86_RCX));
}

/* min, max: of equal ones OR or AND choose the sign of zero. The rule's instruction compares. */
bool value_choose_number(struct value *v)
{
	const int detail = v->rule->detail;
	const unsigned size = v->result_size;
	const struct x86_operand a = x86_gpr(size, X86_RCX), b = x86_gpr(size, X86_RDX);
	const struct x86_operand to = x86_gpr(size, X86_RAX);
	const struct x86_operand xa = x86_xmm(12), xb = x86_xmm(13);
	const enum x86_name move = size == 8 ? X86_vmovq : X86_vmovd;

	load_choices(v);
	x86_emit(v->x, move, xa, a);
	x86_emit(v->x, move, xb, b);
	VOP(mov, to, a);
	x86_emit(v->x, detail & VALUE_MAX ? X86_and : X86_or, to, b);
	x86_emit(v->x, v->rule->name, detail & VALUE_MAX ? xa : xb, detail & VALUE_MAX ? xb : xa);
	VOP(cmova, to, a);
	VOP(cmovb, to, b); /* also if one is NaN */
	value_set(v, X86_RDX, f32_nan);
	if (detail & VALUE_NAN) {
		VOP(cmovp, to, b);
	} else {
		if (size == 4) {
			x86_emit(v->x, v->rule->name, xa, xa);
			VOP(cmovp, a, b);
		}
		x86_emit(v->x, v->rule->name, xb, xb);
		VOP(cmovp, to, a);
	}
	if (detail & VALUE_XORSIGN)
		sign_choice(v);
	return value_finish(v, X86_RAX);
}

/* The rule's instruction with a predicate: the low bits of the detail. */
bool value_compare_numbers(struct value *v)
{
	value_load_number(v, 12, 0);
	x86_emit(v->x, v->rule->name, x86_xmm(12), x86_xmm(12), value_number(v, 1, 13),
		 x86_immediate(v->rule->detail & VALUE_LOW));
	VOP(vmovd, x86_r32(v->result), x86_xmm(12));
	return true;
}

/* slct: source 0 if source 2, an s32 or an f32, is at least 0, else source 1. */
bool value_select(struct value *v)
{
	const unsigned size = v->result_size, width = value_width(size);
	const bool is_signed = v->rule->detail & VALUE_SIGNED;
	struct x86_operand chosen;

	if (!is_signed) {
		value_load_number(v, 12, 2);
		VOP(vxorps, x86_xmm(13), x86_xmm(13), x86_xmm(13));
	}
	value_load(v, X86_RAX, 1, width);
	chosen = value_memory(v, 0, width, X86_RCX);
	if (is_signed)
		VOP(cmp, value_memory(v, 2, 4, X86_RDX), x86_immediate(0));
	else
		VOP(vucomiss, x86_xmm(12), x86_xmm(13));
	x86_emit(v->x, is_signed ? X86_cmovge : X86_cmovae, x86_gpr(width, X86_RAX), chosen);
	return value_finish(v, X86_RAX);
}
