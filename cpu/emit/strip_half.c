/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Selection for strips: f16, bf16, and pairs of them. A register of pairs is no different from one
 * of twice as many elements: what is computed in f32 is computed for both halves of it.
 */
#include "asserts.h"
#include "op_types.h"
#include "strip.h"

#define D w->d

/* Source @i, or of pairs the half @part of its register, as f32 in register @to. */
static void load_part(struct strip_work *w, struct x86_operand to, unsigned i, unsigned part)
{
	const unsigned bytes = to.bytes / 2;
	struct x86_operand from = w->a[i];

	if (strip_size(w, i) == 4 && from.broadcast) {
		OP(vbroadcastss, strip_wide(to, bytes), strip_element(from));
		from = strip_wide(to, bytes);
	} else if (strip_size(w, i) == 4 && from.kind == X86_MEMORY) {
		from.displacement += (int32_t)(part * bytes);
		from.bytes = (uint8_t)bytes;
	} else if (part) {
		OP2(vextracti128, vextracti64x4, strip_wide(to, bytes), from, IMM(1));
		from = strip_wide(to, bytes);
	} else {
		from.bytes = (uint8_t)bytes;
	}
	if (w->parameter & STRIP_BF16) {
		OP(vpmovzxwd, to, from);
		OP(vpslld, to, to, IMM(16));
	} else {
		OP(vcvtph2ps, to, from);
	}
}

/* f32 register @from, which is changed, rounded into the low half of register @to. */
static void round_part(struct strip_work *w, struct x86_operand to, struct x86_operand from)
{
	const struct x86_operand half = strip_wide(to, from.bytes / 2);

	if (w->parameter & STRIP_BF16) {
		strip_bf16_bits(w, from);
		OP(vpsrld, from, from, IMM(16));
		strip_narrow(w, half, from, 2, 4);
	} else {
		strip_canonical(w, from);
		OP(vcvtps2ph, half, from, IMM(0));
	}
}

/* Emits a part's f32 into register @to, one of two or more free ones. */
typedef void emit_part_fn(struct strip_work *w, struct x86_operand to, unsigned part);

static void emit_parts(struct strip_work *w, emit_part_fn *emit)
{
	const bool pairs = strip_result_size(w) == 4;
	const unsigned full = w->isa == X86_AVX2 ? 32 : 64, used = w->s->used;
	struct x86_operand high = D, low;

	if (pairs) {
		high = strip_wide(strip_temporary(w), full);
		emit(w, high, 1);
		w->s->used = (uint8_t)(used + 1);
		round_part(w, high, high);
		w->s->used = (uint8_t)(used + 1);
	}
	low = strip_wide(strip_temporary(w), full);
	emit(w, low, 0);
	w->s->used = (uint8_t)(used + 1 + pairs);
	round_part(w, low, low);
	if (pairs)
		OP2(vinserti128, vinserti64x4, D, low, strip_wide(high, full / 2), IMM(1));
	else
		OP(vmovaps, D, strip_wide(low, full / 2));
}

/* The row's instruction, which rounds as f32. */
static void emit_binary(struct strip_work *w, struct x86_operand to, unsigned part)
{
	const struct x86_operand b = strip_wide(strip_temporary(w), to.bytes);

	load_part(w, to, 0, part);
	load_part(w, b, 1, part);
	x86_emit(w->x, w->name, to, to, b);
}

void strip_half_binary(struct strip_work *w)
{
	emit_parts(w, emit_binary);
}

/* The product, exact, of sources 0 and 1 in @to, and source 2 in @c. */
static void load_product(struct strip_work *w, struct x86_operand to, struct x86_operand c,
			 unsigned part)
{
	load_part(w, to, 0, part);
	load_part(w, c, 1, part);
	OP(vmulps, to, to, c);
	load_part(w, c, 2, part);
}

/* odd_sum_f32() of op_half.h, with three registers: the sum is computed two times. */
static void emit_fma(struct strip_work *w, struct x86_operand sum, unsigned part)
{
	const struct x86_operand error = strip_wide(strip_temporary(w), sum.bytes);
	const struct x86_operand other = strip_wide(strip_temporary(w), sum.bytes);

	load_product(w, error, sum, part);
	OP(vaddps, sum, error, sum);
	OP(vsubps, other, sum, error);
	OP(vsubps, sum, sum, other);
	OP(vsubps, error, error, sum);
	load_part(w, sum, 2, part);
	OP(vsubps, other, sum, other);
	OP(vaddps, error, error, other);
	load_product(w, sum, other, part);
	OP(vaddps, sum, sum, other);
	/* By 1 towards the error, where there is one and the last bit is 0. */
	OP(vpslld, other, sum, IMM(31));
	OP(vpsrad, other, other, IMM(31));
	if (w->isa == X86_AVX512) {
		OP(vcmpps, x86_k(SELECT_MASK), error, strip_all32(w, 0, sum.bytes), IMM(0xc));
		OP(vpxord, error, error, sum);
		OP(vpsrad, error, error, IMM(31));
		OP(vpord, error, error, strip_all32(w, 1, sum.bytes));
		OP(vpandnd, error, other, error);
		OP(vpaddd, x86_masked(sum, SELECT_MASK), sum, error);
		return;
	}
	/* four registers at most: of pairs one has the first part's result */
	OP(vpandn, other, other, error); /* 0 where the last bit is 1 */
	OP(vcmpps, other, other, strip_all32(w, 0, 32), IMM(0xc));
	OP(vpxor, error, error, sum);
	OP(vpsrad, error, error, IMM(31));
	OP(vpor, error, error, strip_all32(w, 1, 32));
	OP(vpand, error, error, other);
	OP(vpaddd, sum, sum, error);
}

void strip_half_fma(struct strip_work *w)
{
	emit_parts(w, emit_fma);
}

/*
 * With AVX-512: a product, or one and a sum, rounded towards zero; where the two other directions
 * differ something was cut off, and the last bit is set.
 */
static void emit_odd(struct strip_work *w, struct x86_operand to, unsigned part)
{
	const bool sum = w->row->sources == 3;
	const struct x86_operand b = strip_wide(strip_temporary(w), to.bytes);
	const struct x86_operand up = strip_wide(strip_temporary(w), to.bytes);
	struct x86_operand c = b;

	load_part(w, to, 0, part);
	load_part(w, b, 1, part);
	if (sum) {
		const struct x86_operand down = strip_wide(strip_temporary(w), to.bytes);

		c = strip_wide(strip_temporary(w), to.bytes);
		load_part(w, c, 2, part);
		OP(vmovaps, up, to);
		OP(vfmadd213ps, up, b, x86_rounded(c, X86_RU));
		OP(vmovaps, down, to);
		OP(vfmadd213ps, down, b, x86_rounded(c, X86_RD));
		OP(vfmadd213ps, to, b, x86_rounded(c, X86_RZ));
		OP(vcmpps, x86_k(SELECT_MASK), up, down, IMM(0xc));
	} else {
		OP(vmulps, up, to, x86_rounded(b, X86_RU));
		OP(vmulps, c, to, x86_rounded(b, X86_RD));
		OP(vcmpps, x86_k(SELECT_MASK), up, c, IMM(0xc));
		load_part(w, b, 1, part);
		OP(vmulps, to, to, x86_rounded(b, X86_RZ));
	}
	OP(vpord, x86_masked(to, SELECT_MASK), to, strip_all32(w, 1, to.bytes));
}

void strip_half_odd(struct strip_work *w)
{
	emit_parts(w, emit_odd);
}

/* @flags: where 16-bit elements of register @a are NaN; @magnitude is free. */
static void emit_nan_words(struct strip_work *w, struct x86_operand flags,
			   struct x86_operand magnitude, struct x86_operand a)
{
	OP2(vpand, vpandd, magnitude, a, strip_all16(w, 0x7fff));
	OP(vpcmpgtw, flags, magnitude, strip_all16(w, w->parameter & STRIP_BF16 ? 0x7f80 : 0x7c00));
}

/* @nan in the place of NaNs of 16 bits of register @from, into @to; @magnitude is free. */
static void replace_nans(struct strip_work *w, struct x86_operand to, struct x86_operand from,
			 struct x86_operand magnitude, uint16_t nan)
{
	if (w->isa == X86_AVX512) {
		emit_nan_words(w, x86_k(SELECT_MASK), magnitude, from);
		OP(vpblendmw, x86_masked(to, SELECT_MASK), from, strip_all16(w, nan));
	} else {
		emit_nan_words(w, magnitude, magnitude, from);
		OP(vpblendvb, to, from, strip_all16(w, nan), magnitude);
	}
}

/* abs and neg; the parameter has STRIP_NEGATES and STRIP_BF16. */
void strip_half_sign(struct strip_work *w)
{
	const struct x86_operand a = strip_copy(w, 0), magnitude = strip_temporary(w);

	if (w->parameter & STRIP_NEGATES)
		OP2(vpxor, vpxord, a, a, strip_all16(w, 0x8000));
	else
		OP2(vpand, vpandd, a, a, strip_all16(w, 0x7fff));
	replace_nans(w, D, a, magnitude, F16_NAN);
}

/* Makes numbers of 16 bits with a sign integers in the same order, or those the numbers again. */
static void emit_order(struct strip_work *w, struct x86_operand a, struct x86_operand sign)
{
	OP(vpsraw, sign, a, IMM(15));
	OP(vpsrlw, sign, sign, IMM(1));
	OP2(vpxor, vpxord, a, a, sign);
}

/*
 * min and max as of integers, -0 is below +0. NaN is beyond what is chosen, so that it is the
 * result where both are NaN; with STRIP_NAN where one is.
 */
void strip_half_ordered(struct strip_work *w)
{
	const bool most = w->parameter & STRIP_MOST, nan = w->parameter & STRIP_NAN;
	const uint16_t beyond = most == nan ? 0x7fff : 0xffff;
	const struct x86_operand a = strip_copy(w, 0), other = strip_temporary(w);
	struct x86_operand b;

	replace_nans(w, a, a, other, beyond);
	emit_order(w, a, other);
	b = strip_copy(w, 1);
	replace_nans(w, b, b, other, beyond);
	emit_order(w, b, other);
	x86_emit(w->x, w->name, a, a, b);
	emit_order(w, a, other);
	replace_nans(w, D, a, other, F16_NAN);
}

/* setp, by the predicate in the upper bits of the parameter. */
void strip_half_compare(struct strip_work *w)
{
	const unsigned full = w->isa == X86_AVX2 ? 32 : 64;
	const struct x86_operand a = strip_wide(strip_temporary(w), full);
	const struct x86_operand b = strip_wide(strip_temporary(w), full);

	load_part(w, a, 0, 0);
	load_part(w, b, 1, 0);
	OP(vcmpps, D, a, b, IMM(w->parameter >> 8));
}
