/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Selection for strips: arithmetic and shifts of integers. */
#include "asserts.h"
#include "strip.h"

#define D w->d

/* The product by the row's instruction, plus source 2 by that of the parameter. */
void strip_multiply_add(struct work *w)
{
	const bool swap = w->a[0].kind == X86_MEMORY;
	const struct x86_operand product = strip_temporary(w);
	const uint8_t used = w->s->used;

	x86_emit(w->x, w->name, product, strip_register(w, swap), strip_operand(w, !swap));
	w->s->used = used;
	x86_emit(w->x, (enum x86_name)w->parameter, D, product, strip_operand(w, 2));
}

/* Of 64 bits, by products of 32: what is above them, in a free register, and what is below. */
static void multiply64(struct work *w, struct x86_operand *high, struct x86_operand *low)
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

void strip_product64(struct work *w)
{
	struct x86_operand high, low;

	multiply64(w, &high, &low);
	OP(vpaddq, D, high, low);
}

void strip_product64_sum(struct work *w)
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
static struct x86_operand spread(struct work *w, unsigned i)
{
	const struct x86_operand to = strip_is_free(w, w->a[i]) ? strip_wide(w->a[i], w->bytes) :
								  strip_temporary(w);

	if (w->a[i].broadcast)
		OP(vpbroadcastd, to, strip_element(w->a[i]));
	else
		OP(vpmovzxdq, to, w->a[i]);
	return to;
}

void strip_wide_product(struct work *w)
{
	const struct x86_operand a = spread(w, 0), b = spread(w, 1);

	x86_emit(w->x, w->name, D, a, b);
}

void strip_wide_sum(struct work *w)
{
	const struct x86_operand a = spread(w, 0);
	const uint8_t used = w->s->used;
	const struct x86_operand b = spread(w, 1);

	x86_emit(w->x, w->name, a, a, b);
	w->s->used = used;
	OP(vpaddq, D, a, strip_operand(w, 2));
}

/* The upper halves of products of 32 bits, in a free register. */
static struct x86_operand upper_product(struct work *w)
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

void strip_high(struct work *w)
{
	OP(vmovaps, D, upper_product(w));
}

void strip_high_sum(struct work *w)
{
	const struct x86_operand product = upper_product(w);

	OP(vpaddd, D, product, strip_operand(w, 2));
}

void strip_invert(struct work *w)
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
void strip_is_zero(struct work *w)
{
	const struct x86_operand zero = strip_temporary(w);

	OP2(vpxor, vpxord, zero, zero, zero);
	x86_emit(w->x, w->name, zero, zero, strip_operand(w, 0));
	x86_emit(w->x, (enum x86_name)w->parameter, D, zero, IMM(strip_size(w, 0) * 8 - 1));
}

/* Likewise: a number alone without a bit has as many zeros in front of its first one. */
void strip_is_zero_lead(struct work *w)
{
	const struct x86_operand zeros = strip_temporary(w);

	x86_emit(w->x, w->name, zeros, strip_operand(w, 0));
	x86_emit(w->x, (enum x86_name)w->parameter, D, zeros, IMM(strip_size(w, 0) == 8 ? 6 : 5));
}

void strip_negate(struct work *w)
{
	const struct x86_operand zero = strip_temporary(w);

	OP2(vpxor, vpxord, zero, zero, zero);
	x86_emit(w->x, w->name, D, zero, strip_operand(w, 0));
}

void strip_magnitude64(struct work *w)
{
	const struct x86_operand a = strip_register(w, 0);
	const struct x86_operand sign = strip_temporary(w), sum = strip_temporary(w);

	OP(vpxor, sign, sign, sign);
	OP(vpcmpgtq, sign, sign, a);
	OP(vpxor, sum, a, sign);
	OP(vpsubq, D, sum, sign);
}

/* The least or, with STRIP_MOST, the greatest of two numbers of 64 bits. */
void strip_least64(struct work *w)
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
void strip_distance(struct work *w)
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
static struct x86_operand one_number(struct work *w, unsigned i)
{
	const struct x86_operand to = strip_wide(strip_temporary(w), 16);

	OP(vmovd, to, strip_element(w->a[i]));
	return to;
}

/*
 * Shifts of 4 and 8 bytes, which give 0 or the sign for amounts beyond the width, as PTX says.
 * The parameter is the instruction with one amount for all elements.
 */
void strip_shift(struct work *w)
{
	const struct x86_operand a = strip_register(w, 0);
	struct x86_operand amounts;

	if (w->a[1].broadcast && (w->isa == X86_AVX2 || strip_size(w, 0) == 8)) {
		x86_emit(w->x, (enum x86_name)w->parameter, D, a, one_number(w, 1));
		return;
	}
	amounts = strip_size(w, 0) == 8 ? spread(w, 1) : strip_operand(w, 1);
	x86_emit(w->x, w->name, D, a, amounts);
}

/* Of 64 bits, with AVX2: bits shifted, and the sign extended from where it then is. */
void strip_shift_sign64(struct work *w)
{
	const bool one = w->a[1].broadcast;
	const enum x86_name name = one ? X86_vpsrlq : X86_vpsrlvq;
	const struct x86_operand amounts = one ? one_number(w, 1) : spread(w, 1);
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
void strip_shift_words(struct work *w)
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
void strip_shift_words_wide(struct work *w)
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
void strip_funnel(struct work *w)
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
