/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Selection for strips: conversions. */
#include "asserts.h"
#include "op_types.h"
#include "strip.h"

#define D w->d

void strip_narrow_row(struct strip_work *w)
{
	strip_narrow(w, D, strip_register(w, 0), strip_result_size(w), strip_size(w, 0));
}

/* One instruction of elements that are narrower than the result's: it has no broadcasts. */
void strip_extend(struct strip_work *w)
{
	x86_emit(w->x, w->name, D, w->a[0].broadcast ? strip_register(w, 0) : w->a[0]);
}

/* The row's instruction widens, that of the parameter converts what is then there. */
void strip_float_of_narrow(struct strip_work *w)
{
	const bool wide = strip_result_size(w) == 8;
	const struct x86_operand middle =
		strip_wide(strip_temporary(w), wide ? w->bytes / 2 : w->bytes);

	x86_emit(w->x, w->name, middle, w->a[0]);
	x86_emit(w->x, (enum x86_name)w->parameter, D, middle);
}

/* With AVX2: both halves of 16 bits are exact, and fma rounds their sum one time. */
void strip_float_of_u32(struct strip_work *w)
{
	const struct x86_operand a = strip_register(w, 0);
	const struct x86_operand high = strip_temporary(w), low = strip_temporary(w);

	OP(vpsrld, high, a, IMM(16));
	OP(vpand, low, a, strip_constant32(w, 0xffff));
	OP(vcvtdq2ps, high, high);
	OP(vcvtdq2ps, low, low);
	OP(vfmadd132ps, high, low, strip_constant32(w, f32_bits(0x1p16f)));
	OP(vmovaps, D, high);
}

/* With AVX2, where rounding is to nearest: 2^52 + x has x in its low bits. */
void strip_double_of_u32(struct strip_work *w)
{
	const struct x86_operand magic = strip_constant64(w, f64_bits(0x1p52));
	const struct x86_operand bits = strip_temporary(w);

	OP(vpmovzxdq, bits, w->a[0].broadcast ? strip_register(w, 0) : w->a[0]);
	OP(vpor, bits, bits, magic);
	OP(vsubpd, D, bits, magic);
}

/*
 * Likewise of 64 bits: the upper 32 are those of 2^84 + x * 2^32, less all that is too much; the
 * sum with the lower ones is rounded. The parameter: they are signed, which adds 2^63.
 */
void strip_double_of_64(struct strip_work *w)
{
	const struct x86_operand a = strip_register(w, 0);
	const struct x86_operand high = strip_temporary(w), low = strip_temporary(w);
	const uint64_t sign = w->parameter ? 0x80000000 : 0;

	OP(vpsrlq, high, a, IMM(32));
	if (sign)
		OP(vpxor, high, high, strip_constant64(w, sign));
	OP(vpor, high, high, strip_constant64(w, f64_bits(0x1p84)));
	OP(vsubpd, high, high, strip_constant64(w, f64_bits(0x1p84 + 0x1p52) + sign));
	OP(vpblendd, low, a, strip_constant64(w, f64_bits(0x1p52)), IMM(0xaa));
	OP(vaddpd, D, high, low);
}

/* Source 0, f16 or, with STRIP_BF16, bf16, as f32 in a free register. */
static struct x86_operand widened(struct strip_work *w)
{
	const struct x86_operand to = strip_temporary(w);

	if (w->parameter & STRIP_BF16) {
		OP(vpmovzxwd, to, w->a[0]);
		OP(vpslld, to, to, IMM(16));
	} else {
		OP(vcvtph2ps, to, w->a[0]);
	}
	return to;
}

/* Source 0, f32 or f64, as an integral number in a free register. */
static struct x86_operand integral(struct strip_work *w)
{
	const bool wide = strip_size(w, 0) == 8;
	struct x86_operand from = strip_operand(w, 0), to;

	if (strip_size(w, 0) == 2)
		from = widened(w);
	to = strip_wide(strip_is_free(w, from) ? from : strip_temporary(w), from.bytes);
	if (wide)
		OP2(vroundpd, vrndscalepd, to, from, IMM(w->parameter & 3));
	else
		OP2(vroundps, vrndscaleps, to, from, IMM(w->parameter & 3));
	return to;
}

/* Flags where register @a compares with @b by @predicate. */
static struct x86_operand compared(struct strip_work *w, struct x86_operand a, struct x86_operand b,
				   unsigned predicate)
{
	const struct x86_operand flags =
		w->isa == X86_AVX512 ? x86_k(SELECT_MASK) : strip_temporary(w);

	b.bytes = a.bytes;
	if (strip_size(w, 0) == 8)
		OP(vcmppd, flags, a, b, IMM(predicate));
	else
		OP(vcmpps, flags, a, b, IMM(predicate));
	return flags;
}

enum { UNORDERED = 0x03, ORDERED = 0x07, AT_LEAST = 0x1d };

/* To an integral number of the same type; NaNs of f64 remain as they are. */
void strip_round(struct strip_work *w)
{
	struct x86_operand a, rounded;

	if (strip_size(w, 0) == 4) {
		x86_emit(w->x, w->name, D, strip_operand(w, 0), IMM(w->parameter));
		return;
	}
	a = strip_register(w, 0);
	rounded = strip_temporary(w);
	x86_emit(w->x, w->name, rounded, a, IMM(w->parameter));
	strip_choose(w, D, compared(w, a, a, UNORDERED), a, rounded, 8);
}

/* Too large numbers become the least one by the instruction: all bits change. NaN becomes 0. */
static void emit_s32(struct strip_work *w, struct x86_operand to)
{
	const struct x86_operand number = integral(w), bits = strip_temporary(w);
	const struct x86_operand limit = strip_constant32(w, f32_bits(0x1p31f));
	struct x86_operand flags;

	OP(vcvttps2dq, bits, number);
	flags = compared(w, number, limit, AT_LEAST);
	if (w->isa == X86_AVX512) {
		OP(vpxord, x86_masked(bits, SELECT_MASK), bits, strip_constant32(w, ~0u));
		OP(vcmpps, flags, number, number, IMM(ORDERED));
		OP(vmovaps, x86_zeroed(to, SELECT_MASK), bits);
		return;
	}
	OP(vpxor, bits, bits, flags);
	OP(vcmpps, flags, number, number, IMM(ORDERED));
	OP(vpand, to, bits, flags);
}

void strip_s32_of_float(struct strip_work *w)
{
	emit_s32(w, D);
}

/* To fewer than 32 bits, into which 32 are clamped. */
void strip_narrow_of_float(struct strip_work *w)
{
	const unsigned size = strip_result_size(w);
	const int32_t greatest = (1 << (8 * size - w->row->is_signed)) - 1;
	const struct x86_operand bits = strip_temporary(w);
	const uint8_t used = w->s->used;

	emit_s32(w, bits);
	w->s->used = used;
	OP(vpminsd, bits, bits, strip_constant32(w, (uint32_t)greatest));
	OP(vpmaxsd, bits, bits,
	   strip_constant32(w, w->row->is_signed ? (uint32_t)~greatest : 0));
	strip_narrow(w, D, bits, size, 4);
}

/*
 * Integers of 32 bits or fewer, which the row's instruction then extends, to f16: all that it has
 * are exact as f32. The parameter is that of strip_half_of_float().
 */
void strip_half_of_integer(struct strip_work *w)
{
	const unsigned bytes = D.bytes * 2u;
	const struct x86_operand number = strip_wide(strip_temporary(w), bytes);

	if (w->name)
		x86_emit(w->x, w->name, number, w->a[0]);
	else
		strip_load(w, number, 0);
	if (!w->name && w->parameter & STRIP_WITHOUT_SIGN)
		OP(vpminud, number, number, strip_all32(w, INT32_MAX, bytes));
	OP(vcvtdq2ps, number, number);
	if (w->parameter & STRIP_TO_ONE) {
		OP(vmaxps, number, number, strip_all32(w, 0, bytes));
		OP(vminps, number, number, strip_all32(w, f32_bits(1), bytes));
	}
	OP(vcvtps2ph, D, number, IMM(w->parameter & 3));
}

/* With AVX-512: negative numbers and NaN become 0, too large ones all ones by the instruction. */
void strip_u32_of_float(struct strip_work *w)
{
	const struct x86_operand number = integral(w);

	OP(vmaxps, number, number, strip_constant32(w, 0));
	OP(vcvttps2udq, D, number);
}

/* With AVX2: the upper half of numbers by 2^31 less. */
void strip_u32_of_float_avx2(struct strip_work *w)
{
	const struct x86_operand number = integral(w), part = strip_temporary(w);
	const struct x86_operand half = strip_constant32(w, f32_bits(0x1p31f));
	struct x86_operand flags;

	OP(vmaxps, number, number, strip_constant32(w, 0));
	flags = compared(w, number, half, AT_LEAST);
	OP(vpand, part, flags, half);
	OP(vsubps, part, number, part);
	OP(vcvttps2dq, part, part);
	OP(vpslld, flags, flags, IMM(31));
	OP(vpxor, part, part, flags);
	OP(vcmpps, flags, number, strip_constant32(w, f32_bits(0x1p32f)), IMM(AT_LEAST));
	OP(vpor, D, part, flags);
}

/* NaN and what is too small become the least number by the instruction. */
void strip_s32_of_double(struct strip_work *w)
{
	const struct x86_operand number = integral(w);

	OP(vminpd, number, strip_filled64(w, f64_bits(INT32_MAX)), number);
	OP(vcvttpd2dq, D, number);
}

void strip_u32_of_double(struct strip_work *w)
{
	const struct x86_operand number = integral(w);
	const struct x86_operand flags = compared(w, number, number, UNORDERED);
	const uint32_t top = 0x80000000;

	OP(vmaxpd, number, number, strip_constant64(w, 0));
	OP(vcvttpd2udq, D, number);
	OP(vbroadcastss, x86_masked(D, flags.number), x86_constant(w->x, &top, 4));
}

/* With AVX2: 2^52 + x has x in its low bits. */
void strip_u32_of_double_avx2(struct strip_work *w)
{
	const struct x86_operand number = integral(w);
	const uint8_t used = w->s->used;
	const struct x86_operand flags = compared(w, number, number, UNORDERED);

	OP(vmaxpd, number, number, strip_constant64(w, 0));
	OP(vminpd, number, number, strip_constant64(w, f64_bits(UINT32_MAX)));
	OP(vaddpd, number, number, strip_constant64(w, f64_bits(0x1p52)));
	OP(vblendvpd, number, number, strip_constant64(w, 0x80000000), flags);
	w->s->used = used;
	strip_narrow(w, D, number, 4, 8);
}

/* With AVX-512; NaN becomes the top bit alone. Too large numbers are another one than that. */
void strip_s64_of_float(struct strip_work *w)
{
	const bool wide = strip_size(w, 0) == 8;
	const struct x86_operand number = integral(w), bits = strip_temporary(w);
	const struct x86_operand limit = wide ? strip_constant64(w, f64_bits(0x1p63)) :
						strip_constant32(w, f32_bits(0x1p63f));
	const struct x86_operand flags = compared(w, number, limit, AT_LEAST);

	x86_emit(w->x, w->name, bits, number);
	strip_choose(w, D, flags, strip_constant64(w, INT64_MAX), bits, 8);
}

void strip_u64_of_float(struct strip_work *w)
{
	const bool wide = strip_size(w, 0) == 8;
	const struct x86_operand number = integral(w), bits = strip_temporary(w);
	const struct x86_operand flags = compared(w, number, number, UNORDERED);
	struct x86_operand zero = wide ? strip_constant64(w, 0) : strip_constant32(w, 0);

	zero.bytes = number.bytes;
	x86_emit(w->x, wide ? X86_vmaxpd : X86_vmaxps, number, number, zero);
	x86_emit(w->x, w->name, bits, number);
	strip_choose(w, D, flags, strip_constant64(w, (uint64_t)1 << 63), bits, 8);
}

/* Source @i in a free register, with the NaN whose upper bits are f16's; or from 0 to 1. */
static struct x86_operand half_source(struct strip_work *w, unsigned i, bool saturated)
{
	const struct x86_operand a = strip_copy(w, i);

	if (saturated) {
		OP(vmaxps, a, a, strip_constant32(w, 0));
		OP(vminps, a, a, strip_constant32(w, f32_bits(1)));
	} else {
		strip_canonical(w, a);
	}
	return a;
}

/* The parameter: how the instruction rounds, and STRIP_TO_ONE. */
void strip_half_of_float(struct strip_work *w)
{
	OP(vcvtps2ph, D, half_source(w, 0, w->parameter & STRIP_TO_ONE), IMM(w->parameter & 3));
}

void strip_bf16_bits(struct strip_work *w, struct x86_operand a)
{
	const struct x86_operand last = strip_wide(strip_temporary(w), a.bytes);

	OP(vpsrld, last, a, IMM(16));
	OP2(vpand, vpandd, last, last, strip_all32(w, 1, a.bytes));
	OP(vpaddd, last, last, strip_all32(w, 0x7fff, a.bytes));
	OP(vpaddd, last, last, a);
	if (w->isa == X86_AVX512) {
		OP(vcmpps, x86_k(SELECT_MASK), a, a, IMM(UNORDERED));
		OP(vblendmps, x86_masked(a, SELECT_MASK), last, strip_all32(w, F32_NAN, a.bytes));
	} else {
		OP(vcmpps, a, a, a, IMM(UNORDERED));
		OP(vblendvps, a, last, strip_all32(w, F32_NAN, a.bytes), a);
	}
	w->s->used--;
}

void strip_bf16_of_float(struct strip_work *w)
{
	const struct x86_operand bits = strip_copy(w, 0);

	strip_bf16_bits(w, bits);
	OP(vpsrld, bits, bits, IMM(16));
	strip_narrow(w, D, bits, 2, 4);
}

void strip_float_of_bf16(struct strip_work *w)
{
	const struct x86_operand bits = strip_temporary(w);

	OP(vpmovzxwd, bits, w->a[0]);
	OP(vpslld, D, bits, IMM(16));
}

/* Ties away from 0; infinity and NaN lose bits alone. */
void strip_tf32_of_float(struct strip_work *w)
{
	const struct x86_operand a = strip_copy(w, 0), half = strip_temporary(w);

	OP(vandps, half, a, strip_constant32(w, 0x7fffffff));
	if (w->isa == X86_AVX512) {
		OP(vcmpps, x86_k(SELECT_MASK), half, strip_constant32(w, 0x7f800000), IMM(0x11));
		OP(vpaddd, x86_masked(a, SELECT_MASK), a, strip_constant32(w, 0x1000));
	} else {
		OP(vcmpps, half, half, strip_constant32(w, 0x7f800000), IMM(0x11));
		OP(vpand, half, half, strip_constant32(w, 0x1000));
		OP(vpaddd, a, a, half);
	}
	OP(vandps, D, a, strip_constant32(w, ~0x1fffu));
}

/* Two in one word, source 0 above source 1. The row's instruction is that of f16, or none. */
void strip_pair_of_floats(struct strip_work *w)
{
	struct x86_operand high, low;

	if (w->name == X86_NO_NAME) {
		high = strip_copy(w, 0);
		strip_bf16_bits(w, high);
		low = strip_copy(w, 1);
		strip_bf16_bits(w, low);
		OP2(vpand, vpandd, high, high, strip_constant32(w, 0xffff0000));
		OP(vpsrld, low, low, IMM(16));
	} else {
		high = half_source(w, 0, false);
		low = half_source(w, 1, false);
		OP(vcvtps2ph, strip_wide(high, w->bytes / 2), high, IMM(0));
		OP(vcvtps2ph, strip_wide(low, w->bytes / 2), low, IMM(0));
		OP(vpmovzxwd, high, strip_wide(high, w->bytes / 2));
		OP(vpmovzxwd, low, strip_wide(low, w->bytes / 2));
		OP(vpslld, high, high, IMM(16));
	}
	OP2(vpor, vpord, D, high, low);
}
