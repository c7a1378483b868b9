/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Selection for strips: arithmetic and shifts of integers. */
#include "asserts.h"
#include "strip.h"

#define D w->d

/* The product by the row's instruction, plus source 2 by that of the parameter. */
void strip_multiply_add(struct strip_work *w)
{
	const bool swap = w->a[0].kind == X86_MEMORY;
	const struct x86_operand product = strip_temporary(w);
	const uint8_t used = w->s->used;

	x86_emit(w->x, w->name, product, strip_register(w, swap), strip_operand(w, !swap));
	w->s->used = used;
	x86_emit(w->x, (enum x86_name)w->parameter, D, product, strip_operand(w, 2));
}

/* Of 64 bits, by products of 32: what is above them, in a free register, and what is below. */
static void multiply64(struct strip_work *w, struct x86_operand *high, struct x86_operand *low)
{
	const struct x86_operand a = strip_register(w, 0), b = strip_register(w, 1);

	*high = strip_temporary(w);
	*low = strip_temporary(w);
	OP(vpsrlq, *high, a, IMM(32));
	OP(vpmuludq, *high, *high, b);
	OP(vpsrlq, *low, b, IMM(32));
	OP(vpmuludq, *low, *low, a);
	OP(vpaddq, *high, *high, *low);
	OP(vpsllq, *high, *high, IMM(32));
	OP(vpmuludq, *low, a, b);
}

void strip_product64(struct strip_work *w)
{
	struct x86_operand high, low;

	multiply64(w, &high, &low);
	OP(vpaddq, D, high, low);
}

void strip_product64_sum(struct strip_work *w)
{
	const struct x86_operand sum = strip_temporary(w);
	const uint8_t used = w->s->used;
	struct x86_operand high;

	/* One register less than multiply64() needs with both factors in memory. */
	strip_load(w, sum, 1);
	OP(vpshufd, sum, sum, IMM(0xb1));
	OP(vpmulld, sum, sum, strip_operand(w, 0));
	w->s->used = used;
	high = strip_temporary(w);
	OP(vpsrlq, high, sum, IMM(32));
	OP(vpaddd, sum, sum, high);
	OP(vpsllq, sum, sum, IMM(32));
	strip_load(w, high, 0);
	OP(vpmuludq, high, high, strip_operand(w, 1));
	OP(vpaddq, sum, sum, high);
	w->s->used = used;
	OP(vpaddq, D, sum, strip_operand(w, 2));
}

/* Source @i of 4 bytes, in the low halves of elements of 8. */
static struct x86_operand zero_extended(struct strip_work *w, unsigned i)
{
	const struct x86_operand to = strip_is_free(w, w->a[i]) ? strip_wide(w->a[i], w->bytes) :
								  strip_temporary(w);

	if (w->a[i].broadcast)
		OP(vpbroadcastd, to, strip_element(w->a[i]));
	else
		OP(vpmovzxdq, to, w->a[i]);
	return to;
}

void strip_wide_product(struct strip_work *w)
{
	const struct x86_operand a = zero_extended(w, 0), b = zero_extended(w, 1);

	x86_emit(w->x, w->name, D, a, b);
}

void strip_wide_sum(struct strip_work *w)
{
	const struct x86_operand a = zero_extended(w, 0);
	const uint8_t used = w->s->used;
	const struct x86_operand b = zero_extended(w, 1);

	x86_emit(w->x, w->name, a, a, b);
	w->s->used = used;
	OP(vpaddq, D, a, strip_operand(w, 2));
}

/* The upper halves of products of 32 bits, in a free register. */
static struct x86_operand upper_product(struct strip_work *w)
{
	const struct x86_operand even = strip_temporary(w), odd = strip_temporary(w);
	const uint8_t used = w->s->used;
	const struct x86_operand a = strip_register(w, 0), b = strip_copy(w, 1);

	x86_emit(w->x, w->name, even, a, b);
	OP(vpsrlq, odd, a, IMM(32));
	OP(vpsrlq, b, b, IMM(32));
	x86_emit(w->x, w->name, odd, odd, b);
	OP(vpsrlq, even, even, IMM(32));
	if (w->isa == X86_AVX2) {
		OP(vpblendd, even, even, odd, IMM(0xaa));
	} else {
		/* even | odd & constant */
		OP(vpternlogq, even, odd, strip_constant64(w, 0xffffffff00000000), IMM(0xf8));
	}
	w->s->used = used;
	return even;
}

void strip_high(struct strip_work *w)
{
	OP(vmovaps, D, upper_product(w));
}

void strip_high_sum(struct strip_work *w)
{
	const struct x86_operand product = upper_product(w);

	OP(vpaddd, D, product, strip_operand(w, 2));
}

void strip_invert(struct strip_work *w)
{
	const bool wide = strip_size(w, 0) == 8;
	struct x86_operand ones;

	if (w->isa == X86_AVX512 && strip_size(w, 0) > 2) {
		x86_emit(w->x, wide ? X86_vpternlogq : X86_vpternlogd, D, D, strip_operand(w, 0),
			 IMM(0x55));
		return;
	}
	if (w->isa == X86_AVX512) {
		const struct x86_operand a = strip_register(w, 0);

		OP(vpternlogd, D, a, a, IMM(0x55));
		return;
	}
	ones = strip_temporary(w);
	OP(vpcmpeqd, ones, ones, ones);
	OP(vpxor, D, ones, strip_operand(w, 0));
}

/* 1 where source 0 is 0, else 0. */
void strip_is_zero(struct strip_work *w)
{
	const struct x86_operand zero = strip_temporary(w);

	OP2(vpxor, vpxord, zero, zero, zero);
	x86_emit(w->x, w->name, zero, zero, strip_operand(w, 0));
	x86_emit(w->x, (enum x86_name)w->parameter, D, zero, IMM(strip_size(w, 0) * 8 - 1));
}

/* Likewise: a number alone without a bit has as many zeros in front of its first one. */
void strip_is_zero_lead(struct strip_work *w)
{
	const struct x86_operand zeros = strip_temporary(w);

	x86_emit(w->x, w->name, zeros, strip_operand(w, 0));
	x86_emit(w->x, (enum x86_name)w->parameter, D, zeros, IMM(strip_size(w, 0) == 8 ? 6 : 5));
}

void strip_negate(struct strip_work *w)
{
	const struct x86_operand zero = strip_temporary(w);

	OP2(vpxor, vpxord, zero, zero, zero);
	x86_emit(w->x, w->name, D, zero, strip_operand(w, 0));
}

void strip_magnitude64(struct strip_work *w)
{
	const struct x86_operand a = strip_register(w, 0);
	const struct x86_operand sign = strip_temporary(w), sum = strip_temporary(w);

	OP(vpxor, sign, sign, sign);
	OP(vpcmpgtq, sign, sign, a);
	OP(vpxor, sum, a, sign);
	OP(vpsubq, D, sum, sign);
}

/* The least or, with STRIP_MOST, the greatest of two numbers of 64 bits. */
void strip_least64(struct strip_work *w)
{
	const bool most = w->parameter & STRIP_MOST;
	const struct x86_operand a = strip_register(w, 0), b = strip_register(w, 1);
	const struct x86_operand above = strip_temporary(w), other = strip_temporary(w);

	if (w->parameter & STRIP_UNSIGNED) {
		const struct x86_operand sign = strip_constant64(w, (uint64_t)1 << 63);

		OP(vpxor, above, a, sign);
		OP(vpxor, other, b, sign);
		OP(vpcmpgtq, above, above, other);
	} else {
		OP(vpcmpgtq, above, a, b);
	}
	OP(vblendvpd, D, most ? b : a, most ? a : b, above);
}

/* The greater minus the less of two numbers, plus source 2: sad. */
void strip_distance(struct strip_work *w)
{
	const bool swap = w->a[0].kind == X86_MEMORY;
	const struct x86_operand most = strip_temporary(w), least = strip_temporary(w);
	const uint8_t used = w->s->used;
	const struct x86_operand a = strip_register(w, swap), b = strip_operand(w, !swap);
	const unsigned size = strip_size(w, 0);

	x86_emit(w->x, w->name, most, a, b);
	x86_emit(w->x, (enum x86_name)w->parameter, least, a, b);
	w->s->used = used;
	if (size == 2)
		OP(vpsubw, most, most, least);
	else
		x86_emit(w->x, size == 8 ? X86_vpsubq : X86_vpsubd, most, most, least);
	x86_emit(w->x, size == 8 ? X86_vpaddq : size == 4 ? X86_vpaddd : X86_vpaddw, D, most,
		 strip_operand(w, 2));
}

/* The number that is the same for all lanes, source @i, in the low bits of a free register. */
static struct x86_operand one_number(struct strip_work *w, unsigned i)
{
	const struct x86_operand to = strip_wide(strip_temporary(w), 16);

	OP(vmovd, to, strip_element(w->a[i]));
	return to;
}

/*
 * Shifts of 4 and 8 bytes, which give 0 or the sign for amounts beyond the width, as PTX says.
 * The parameter is the instruction with one amount for all elements.
 */
void strip_shift(struct strip_work *w)
{
	const struct x86_operand a = strip_register(w, 0);
	struct x86_operand amounts;

	if (w->a[1].broadcast && (strip_size(w, 0) == 8 ||
				  (w->isa == X86_AVX2 && !strip_is_number(w, 1)))) {
		x86_emit(w->x, (enum x86_name)w->parameter, D, a, one_number(w, 1));
		return;
	}
	amounts = strip_size(w, 0) == 8 ? zero_extended(w, 1) : strip_operand(w, 1);
	x86_emit(w->x, w->name, D, a, amounts);
}

/* Of 64 bits, with AVX2: bits shifted, and the sign extended from where it then is. */
void strip_shift_sign64(struct strip_work *w)
{
	const bool one = w->a[1].broadcast;
	const enum x86_name name = one ? X86_vpsrlq : X86_vpsrlvq;
	const struct x86_operand amounts = one ? one_number(w, 1) : zero_extended(w, 1);
	const struct x86_operand sign = strip_temporary(w), bits = strip_temporary(w);
	const struct x86_operand most = strip_constant64(w, 63);

	OP(vpminud, amounts, amounts, x86_sized(most, amounts.bytes));
	OP(vmovaps, sign, strip_constant64(w, (uint64_t)1 << 63));
	x86_emit(w->x, name, sign, sign, amounts);
	x86_emit(w->x, name, bits, strip_register(w, 0), amounts);
	OP(vpxor, bits, bits, sign);
	OP(vpsubq, D, bits, sign);
}

/* Of 16 bits: amounts become as narrow, and stay too large where they were. */
void strip_shift_words(struct strip_work *w)
{
	const struct x86_operand a = strip_register(w, 0);
	struct x86_operand amounts;

	if (w->a[1].broadcast) {
		x86_emit(w->x, (enum x86_name)w->parameter, D, a, one_number(w, 1));
		return;
	}
	amounts = strip_wide(strip_temporary(w), D.bytes);
	OP(vpmovusdw, amounts, strip_register(w, 1));
	x86_emit(w->x, w->name, D, a, amounts);
}

/* Of 16 bits with AVX2: as 32 bits. */
void strip_shift_words_wide(struct strip_work *w)
{
	struct x86_operand wide;

	if (w->a[1].broadcast) {
		const struct x86_operand a = strip_register(w, 0);

		x86_emit(w->x, (enum x86_name)w->parameter, D, a, one_number(w, 1));
		return;
	}
	wide = strip_temporary(w);
	if (w->name == X86_vpsravd)
		OP(vpmovsxwd, wide, w->a[0]);
	else
		OP(vpmovzxwd, wide, w->a[0]);
	x86_emit(w->x, w->name, wide, wide, strip_operand(w, 1));
	strip_narrow(w, D, wide, 2, 4);
}

/* shf: the parameter has STRIP_RIGHT and STRIP_WRAP. */
void strip_funnel(struct strip_work *w)
{
	const bool right = w->parameter & STRIP_RIGHT;
	const enum x86_name with = right ? X86_vpsrlvd : X86_vpsllvd;
	const enum x86_name against = right ? X86_vpsllvd : X86_vpsrlvd;
	const struct x86_operand amounts = strip_copy(w, 2), rest = strip_temporary(w);
	const uint8_t used = w->s->used;

	if (w->parameter & STRIP_WRAP)
		OP2(vpand, vpandd, amounts, amounts, strip_constant32(w, 31));
	else
		OP(vpminud, amounts, amounts, strip_constant32(w, 32));
	/* 32 - amount, which is 32 + ~amount + 1 */
	OP2(vpxor, vpxord, rest, amounts, strip_constant32(w, ~0u));
	OP(vpaddd, rest, rest, strip_constant32(w, 33));
	x86_emit(w->x, with, amounts, strip_register(w, !right), amounts);
	w->s->used = used;
	x86_emit(w->x, against, rest, strip_register(w, right), rest);
	w->s->used = used;
	OP2(vpor, vpord, D, amounts, rest);
}

/* Of 16 bits, extended by the row's instruction; and the sum with source 2. */
void strip_wide_words(struct strip_work *w)
{
	const struct x86_operand a = strip_temporary(w), b = strip_temporary(w);
	const bool sum = w->row->sources == 3;

	x86_emit(w->x, w->name, a, w->a[0]);
	x86_emit(w->x, w->name, b, w->a[1]);
	OP(vpmulld, sum ? a : D, a, b);
	if (sum)
		OP(vpaddd, D, a, strip_operand(w, 2));
}

/* The low 24 bits of source @i in a free register: with their sign if the parameter says so. */
static struct x86_operand low24(struct strip_work *w, unsigned i)
{
	const struct x86_operand to = strip_temporary(w);

	strip_load(w, to, i);
	OP(vpslld, to, to, IMM(8));
	if (w->parameter)
		OP(vpsrad, to, to, IMM(8));
	else
		OP(vpsrld, to, to, IMM(8));
	return to;
}

void strip_product24(struct strip_work *w)
{
	const struct x86_operand a = low24(w, 0), b = low24(w, 1);
	const bool sum = w->row->sources == 3;

	OP(vpmulld, sum ? a : D, a, b);
	if (sum)
		OP(vpaddd, D, a, strip_operand(w, 2));
}

/* The upper 64 bits of products, with AVX-512. The parameter: they are signed. */
void strip_high64(struct strip_work *w)
{
	const struct x86_operand a = strip_register(w, 0), b = strip_register(w, 1);
	const struct x86_operand a_high = strip_temporary(w), b_high = strip_temporary(w);
	const struct x86_operand low = strip_temporary(w), sum = strip_temporary(w);

	OP(vpsrlq, a_high, a, IMM(32));
	OP(vpmuludq, low, a, b);
	OP(vpsrlq, low, low, IMM(32));
	OP(vpmuludq, sum, a_high, b);
	OP(vpaddq, sum, sum, low);
	OP(vpandq, low, sum, strip_constant64(w, 0xffffffff));
	OP(vpsrlq, sum, sum, IMM(32));
	OP(vpsrlq, b_high, b, IMM(32));
	OP(vpmuludq, a_high, a_high, b_high);
	OP(vpaddq, sum, sum, a_high);
	OP(vpmuludq, b_high, a, b_high);
	OP(vpaddq, b_high, b_high, low);
	OP(vpsrlq, b_high, b_high, IMM(32));
	OP(vpaddq, sum, sum, b_high);
	if (w->parameter) {
		OP(vpmovq2m, x86_k(SELECT_MASK), a);
		OP(vpsubq, x86_masked(sum, SELECT_MASK), sum, b);
		OP(vpmovq2m, x86_k(SELECT_MASK), b);
		OP(vpsubq, x86_masked(sum, SELECT_MASK), sum, a);
	}
	OP(vmovaps, D, sum);
}

/* The upper (@shift 0) or lower (8) bytes of 16 bits of source @i as numbers of 16 bits. */
static struct x86_operand byte_numbers(struct strip_work *w, unsigned i, unsigned shift)
{
	const struct x86_operand to = strip_temporary(w);

	strip_load(w, to, i);
	if (shift)
		OP(vpsllw, to, to, IMM(shift));
	if (w->parameter >> i & 1)
		OP(vpsraw, to, to, IMM(8));
	else
		OP(vpsrlw, to, to, IMM(8));
	return to;
}

/* dp4a: bit i of the parameter tells whether source i is signed. */
void strip_dot(struct strip_work *w)
{
	const struct x86_operand sum = byte_numbers(w, 0, 0);
	const uint8_t used = w->s->used;
	struct x86_operand other = byte_numbers(w, 1, 0), low;

	OP(vpmaddwd, sum, sum, other);
	w->s->used = used;
	low = byte_numbers(w, 0, 8);
	other = byte_numbers(w, 1, 8);
	OP(vpmaddwd, low, low, other);
	OP(vpaddd, sum, sum, low);
	w->s->used = used;
	OP(vpaddd, D, sum, strip_operand(w, 2));
}

/* The half @part of @of, a register or memory, as f64 in register @to. */
static void divide_widen(struct strip_work *w, struct x86_operand to, struct x86_operand of,
			 unsigned part)
{
	const struct x86_operand half = strip_wide(to, w->bytes / 2);

	if (of.broadcast) {
		OP(vbroadcastss, half, strip_element(of));
		of = half;
	} else if (of.kind == X86_MEMORY) {
		of.displacement += (int32_t)(part * half.bytes);
		of.bytes = half.bytes;
	} else if (part) {
		OP2(vextracti128, vextracti64x4, half, of, IMM(1));
		of = half;
	} else {
		of.bytes = half.bytes;
	}
	x86_emit(w->x, w->name, to, of);
	if (w->name == X86_vpmovzxdq) { /* 2^52 + x has x in its low bits */
		OP(vpor, to, to, strip_constant64(w, 0x4330000000000000));
		OP(vsubpd, to, to, strip_constant64(w, 0x4330000000000000));
	}
}

/* A little more than 1 divided by the half @part of @divisor; @other is free. */
static void divide_invert(struct strip_work *w, struct x86_operand to, struct x86_operand divisor,
			  unsigned part, struct x86_operand other)
{
	const uint64_t one = 0x3ff0000000000000;

	divide_widen(w, other, divisor, part);
	OP(vpbroadcastq, to, x86_constant(w->x, &one, 8));
	OP(vdivpd, to, to, other);
	OP(vpaddq, to, to, strip_constant64(w, 1));
}

/* The same of one number in memory, for all lanes. */
static void divide_invert_shared(struct strip_work *w, struct x86_operand to,
				 struct x86_operand divisor, struct x86_operand other)
{
	const struct x86_operand first = strip_wide(to, 16), ecx = x86_r32(X86_RCX);
	const struct x86_operand magic = x86_sized(strip_constant64(w, 0x4330000000000000), 16);
	const uint64_t one = 0x3ff0000000000000;

	other = strip_wide(other, 16);
	divisor = x86_sized(strip_element(divisor), 4);
	if (w->name == X86_vpmovzxdq) { /* as divide_widen() does */
		OP(vmovd, other, divisor);
		OP(vpor, other, other, magic);
		OP(vsubpd, other, other, magic);
	} else {
		OP(mov, ecx, divisor);
		OP2(vpxor, vpxord, other, other, other);
		w->name == X86_vcvtudq2pd ? OP(vcvtusi2sd, other, other, ecx) :
					   OP(vcvtsi2sd, other, other, ecx);
	}
	OP(vmovq, first, x86_constant(w->x, &one, 8));
	OP(vdivsd, first, first, other);
	OP(vpaddq, first, first, x86_sized(strip_constant64(w, 1), 16));
	OP(vpbroadcastq, to, first);
}

/* Both halves of quotients, as f64, become integers in register @low; @high is free then. */
static void divide_cut(struct strip_work *w, struct x86_operand low, struct x86_operand high)
{
	const unsigned half = w->bytes / 2;

	if (w->name == X86_vcvtudq2pd) {
		OP(vcvttpd2udq, strip_wide(low, half), low);
		OP(vcvttpd2udq, strip_wide(high, half), high);
	} else if (w->name == X86_vcvtdq2pd) {
		OP(vcvttpd2dq, strip_wide(low, half), low);
		OP(vcvttpd2dq, strip_wide(high, half), high);
	} else { /* 2^52 + x, again */
		OP(vroundpd, low, low, IMM(3));
		OP(vroundpd, high, high, IMM(3));
		OP(vaddpd, low, low, strip_constant64(w, 0x4330000000000000));
		OP(vaddpd, high, high, strip_constant64(w, 0x4330000000000000));
		OP(vshufps, low, low, high, IMM(0x88));
		OP(vpermq, low, low, IMM(0xd8));
		return;
	}
	OP2(vinserti128, vinserti64x4, low, low, strip_wide(high, half), IMM(1));
}

/*
 * Of 32 bits as op_div_u32() does: by a reciprocal that is a little too large, in any direction of
 * rounding. What is divided by 0 has all bits set.
 */
void strip_divide(struct strip_work *w)
{
	const uint8_t used = w->s->used;
	const struct x86_operand all = strip_temporary(w), high = strip_temporary(w);
	const struct x86_operand inverse = strip_temporary(w), other = strip_temporary(w);
	const bool shared = w->a[1].broadcast;
	struct x86_operand b;

	if (shared)
		divide_invert_shared(w, inverse, w->a[1], other);
	for (unsigned part = 0; part < 2; part++) {
		const struct x86_operand q = part ? high : all;

		if (!shared)
			divide_invert(w, inverse, w->a[1], part, other);
		divide_widen(w, q, w->a[0], part);
		OP(vmulpd, q, q, inverse);
	}
	divide_cut(w, all, high);
	w->s->used = used + 1;
	b = strip_register(w, 1);
	if (w->parameter == STRIP_REMAINDER) {
		const struct x86_operand a = strip_register(w, 0);

		OP(vpmulld, all, all, b);
		OP(vpsubd, all, a, all);
	}
	if (w->isa == X86_AVX512) {
		OP(vptestnmd, x86_k(SELECT_MASK), b, b);
		OP(vpternlogd, x86_masked(all, SELECT_MASK), all, all, IMM(0xff));
		OP(vmovaps, D, all);
	} else {
		const struct x86_operand zero = strip_temporary(w);

		OP(vpxor, zero, zero, zero);
		OP(vpcmpeqd, zero, zero, b);
		OP(vpor, D, all, zero);
	}
}
