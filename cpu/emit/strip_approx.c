/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Selection for strips: the approximations of op_approx.h. They are computed in f64, so for half of
 * the lanes at a time, in the same order of operations but for three: of ex2, lg2 and rsqrt it was
 * tried with each f32 that what is done here instead has the same bits, under both modes.
 */
#include "asserts.h"
#include "op_types.h"
#include "strip.h"

#define D w->d
#define C64(value) strip_constant64(w, f64_bits(value))
#define TO_INTEGER 0x1.8p52

/* The lower (@part 0) or upper half of register @of, or of its memory, as f64 in register @to. */
static void widen_half(struct strip_work *w, struct x86_operand to, struct x86_operand of,
		       unsigned part)
{
	const unsigned half = w->bytes / 2;

	if (of.kind == X86_MEMORY) {
		if (part && !of.broadcast)
			of.displacement += (int32_t)half;
		of.bytes = (uint8_t)half;
		OP(vcvtps2pd, to, of);
		return;
	}
	if (part) {
		OP2(vextractf128, vextractf64x4, strip_wide(to, half), of, IMM(1));
		of = to;
	}
	OP(vcvtps2pd, to, strip_wide(of, half));
}

/* The f64 of @value, as f32, in that half of register @all. */
static void narrow_half(struct strip_work *w, struct x86_operand all, struct x86_operand value,
			unsigned part)
{
	const struct x86_operand half = strip_wide(value, w->bytes / 2);

	OP(vcvtpd2ps, half, value);
	OP2(vinsertf128, vinsertf64x4, all, all, half, IMM(part));
}

/* @p = (@p * @z + the next coefficient) ..., rounded once for each or twice. */
static void emit_series(struct strip_work *w, struct x86_operand p, struct x86_operand z,
			const double *coefficients, unsigned count, bool fused)
{
	const uint64_t first = f64_bits(coefficients[0]);

	OP(vpbroadcastq, p, x86_constant(w->x, &first, 8));
	for (unsigned i = 1; i < count; i++) {
		if (fused) {
			OP(vfmadd213pd, p, z, C64(coefficients[i]));
		} else {
			OP(vmulpd, p, p, z);
			OP(vaddpd, p, p, C64(coefficients[i]));
		}
	}
}

/* Flags where f32 register @a compares by @predicate with @b. */
static struct x86_operand compared_with(struct strip_work *w, struct x86_operand a,
					struct x86_operand b, unsigned predicate)
{
	const struct x86_operand flags = strip_flags(w);

	OP(vcmpps, flags, a, b, IMM(predicate));
	return flags;
}

/* exp2_f64() of register @x; the result is in @p, and @shifted is changed. */
static void emit_exp2(struct strip_work *w, struct x86_operand x, struct x86_operand shifted,
		      struct x86_operand p, bool fused)
{
	static const double series[] = {
		0x1.b5253d395e7c4p-24, 0x1.62c0223a5c824p-20, 0x1.ffcbfc588b0c7p-17,
		0x1.430912f86c787p-13, 0x1.5d87fe78a6731p-10, 0x1.3b2ab6fba4e77p-7,
		0x1.c6b08d704a0c0p-5, 0x1.ebfbdff82c58fp-3, 0x1.62e42fefa39efp-1, 1,
	};

	OP(vaddpd, shifted, x, C64(TO_INTEGER));
	OP(vsubpd, p, shifted, C64(TO_INTEGER));
	OP(vsubpd, x, x, p);
	emit_series(w, p, x, series, sizeof(series) / sizeof(series[0]), fused);
	OP(vpsllq, shifted, shifted, IMM(52));
	OP(vpaddq, p, p, shifted);
}

void strip_exp2(struct strip_work *w)
{
	const struct x86_operand all = strip_temporary(w);
	const uint8_t used = w->s->used;
	const struct x86_operand x = strip_temporary(w), shifted = strip_temporary(w);
	const struct x86_operand p = strip_temporary(w);
	struct x86_operand a, flags;

	strip_load(w, all, 0);
	OP(vmaxps, all, all, strip_constant32(w, f32_bits(-200)));
	OP(vminps, all, all, strip_constant32(w, f32_bits(200)));
	for (int part = 1; part >= 0; part--) {
		widen_half(w, x, all, (unsigned)part);
		emit_exp2(w, x, shifted, p, true);
		narrow_half(w, all, p, (unsigned)part);
	}
	w->s->used = used;
	a = strip_register(w, 0);
	flags = compared_with(w, a, a, 3);
	strip_choose(w, D, flags, strip_constant32(w, F32_NAN), all, 4);
}

/* f64 @x > 0, else 1, and what is more than its fraction in @biased: log2_f64(). */
static void emit_exponent(struct strip_work *w, struct x86_operand x, struct x86_operand biased)
{
	const struct x86_operand flags = w->isa == X86_AVX512 ? x86_k(SELECT_MASK) : biased;
	const uint64_t one = f64_bits(1);

	if (w->isa == X86_AVX512) {
		OP(vcmppd, flags, x, C64(0), IMM(0x1a)); /* not greater */
		OP(vpbroadcastq, x86_masked(x, SELECT_MASK), x86_constant(w->x, &one, 8));
	} else {
		OP(vcmppd, flags, x, C64(0), IMM(0x1a));
		OP(vblendvpd, x, x, C64(1), flags);
	}
	OP(vpaddq, biased, x, strip_constant64(w, ((uint64_t)1024 << 52) - 0x3fe6a09e667f3bcd));
	OP(vpsrlq, biased, biased, IMM(52));
}

/* The exponent that is in @biased, as a number. */
static void emit_whole(struct strip_work *w, struct x86_operand biased)
{
	OP2(vpor, vporq, biased, biased, strip_constant64(w, f64_bits(0x1p52)));
	OP(vsubpd, biased, biased, C64(0x1p52 + 1024));
}

/* log2_f64() of a half of @all, in @p. */
static void emit_log2(struct strip_work *w, struct x86_operand all, struct x86_operand p,
		      unsigned part)
{
	static const double series[] = {
		0x1.c68f568d31760p-3, 0x1.0c9a84994022dp-2, 0x1.484b13d7c02a9p-2,
		0x1.a61762a7aded9p-2, 0x1.2776c50ef9bfep-1, 0x1.ec709dc3a03fdp-1,
		0x1.71547652b82fep+1,
	};
	const uint8_t used = w->s->used;
	const struct x86_operand x = strip_temporary(w), z = strip_temporary(w);
	/* AVX2 has no register to keep it. */
	const struct x86_operand biased = w->isa == X86_AVX512 ? strip_temporary(w) : z;

	widen_half(w, x, all, part);
	emit_exponent(w, x, biased);
	OP(vpsllq, z, biased, IMM(52));
	OP(vpsubq, x, x, z);
	OP(vpaddq, x, x, strip_constant64(w, (uint64_t)1024 << 52));
	OP(vaddpd, z, x, C64(1));
	OP(vsubpd, x, x, C64(1));
	OP(vdivpd, x, x, z);
	OP(vmulpd, z, x, x);
	emit_series(w, p, z, series, sizeof(series) / sizeof(series[0]), true);
	OP(vmulpd, p, x, p);
	if (w->isa == X86_AVX2) {
		widen_half(w, x, all, part);
		emit_exponent(w, x, z);
	}
	emit_whole(w, biased);
	OP(vaddpd, p, biased, p);
	w->s->used = used;
}

void strip_log2(struct strip_work *w)
{
	const struct x86_operand all = strip_copy(w, 0);
	const uint8_t used = w->s->used;
	const struct x86_operand p = strip_temporary(w);
	struct x86_operand a, flags;

	for (int part = 1; part >= 0; part--) {
		emit_log2(w, all, p, (unsigned)part);
		narrow_half(w, all, p, (unsigned)part);
	}
	w->s->used = used;
	a = strip_register(w, 0);
	flags = compared_with(w, a, strip_constant32(w, 0x7f800000), 0);
	strip_choose(w, all, flags, a, all, 4);
	OP(vcmpps, flags, a, strip_constant32(w, 0), IMM(0));
	strip_choose(w, all, flags, strip_constant32(w, 0xff800000), all, 4);
	OP(vcmpps, flags, a, strip_constant32(w, 0), IMM(0x19)); /* less, or NaN */
	strip_choose(w, D, flags, strip_constant32(w, F32_NAN), all, 4);
}

/* What is at most one unit in the last place from 1 / sqrt(@a), into @y; 0, infinity and NaN are as
 * they have to be. @t and @e change. */
static void emit_rsqrt_near(struct strip_work *w, struct x86_operand a, struct x86_operand y,
			    struct x86_operand t, struct x86_operand e)
{
	const uint32_t one = f32_bits(1);

	if (w->isa == X86_AVX2) {
		OP(vsqrtps, t, a);
		OP(vbroadcastss, y, x86_constant(w->x, &one, 4));
		OP(vdivps, y, y, t);
		return;
	}
	OP(vrsqrt14ps, y, a);
	OP(vmulps, t, a, y);
	OP(vmulps, e, y, strip_constant32(w, f32_bits(0.5f)));
	OP(vfnmadd213ps, e, t, strip_constant32(w, f32_bits(0.5f)));
	OP(vfmadd213ps, e, y, y);
	OP(vcmpps, x86_k(SELECT_MASK), e, e, IMM(7)); /* no NaN */
	OP(vmovaps, x86_masked(y, SELECT_MASK), e);
}

/*
 * In f32, of all lanes: with a * y = s + t exactly, e = 1 - (s + t) * y, and y * (1 - e)^(-1/2) by
 * its series is rounded one time. That is the nearest number for each f32 and each y that is at
 * most one unit in the last place from it.
 */
void strip_rsqrt(struct strip_work *w)
{
	const struct x86_operand a = strip_register(w, 0);
	const struct x86_operand y = strip_temporary(w), s = strip_temporary(w);
	const struct x86_operand e = strip_temporary(w);
	const struct x86_operand flags = w->isa == X86_AVX512 ? x86_k(SELECT_MASK) : s;
	const uint32_t second = f32_bits(0.375f);

	emit_rsqrt_near(w, a, y, s, e);
	OP(vmulps, s, a, y);
	OP(vmovaps, e, s);
	OP(vfmsub231ps, e, a, y); /* a * y - e */
	OP(vfnmadd213ps, s, y, strip_constant32(w, f32_bits(1)));
	OP(vfnmadd213ps, e, y, s);
	OP(vbroadcastss, s, x86_constant(w->x, &second, 4));
	OP(vfmadd213ps, s, e, strip_constant32(w, f32_bits(0.5f)));
	OP(vmulps, e, e, y);
	OP(vfmadd213ps, e, s, y);
	OP(vcmpps, flags, e, e, IMM(3));
	strip_choose(w, D, flags, y, e, 4);
}

/* Source 0's half @part in quarter turns, plus TO_INTEGER, in register @shifted; so in @turns. */
static void emit_turns(struct strip_work *w, struct x86_operand shifted, struct x86_operand turns,
		       struct x86_operand all, unsigned part)
{
	widen_half(w, turns, all, part);
	OP(vmulpd, turns, turns, C64(0x1.45f306dc9c883p-1));
	OP(vaddpd, shifted, turns, C64(TO_INTEGER));
}

/* Chooses @c for odd quadrants, and negates every other pair of them; @s has the result. */
static void choose_quadrant(struct strip_work *w, struct x86_operand s, struct x86_operand c,
			    struct x86_operand quadrant, struct x86_operand all, unsigned part)
{
	const struct x86_operand first = strip_constant64(w, w->parameter);

	emit_turns(w, quadrant, quadrant, all, part);
	OP(vpaddq, quadrant, quadrant, first);
	if (w->isa == X86_AVX512) {
		OP(vptestmq, x86_k(SELECT_MASK), quadrant, strip_constant64(w, 1));
		OP(vmovapd, x86_masked(s, SELECT_MASK), c);
	} else {
		OP(vpsllq, quadrant, quadrant, IMM(63));
		OP(vblendvpd, s, s, c, quadrant);
		/* There was no register to keep it. */
		emit_turns(w, quadrant, quadrant, all, part);
		OP(vpaddq, quadrant, quadrant, first);
	}
	OP(vpsllq, quadrant, quadrant, IMM(62));
	OP2(vpand, vpandq, quadrant, quadrant, strip_constant64(w, (uint64_t)1 << 63));
	OP2(vpxor, vpxorq, s, s, quadrant);
}

/* Numbers of 2^51 quarter turns and more count as 0: this is the greatest that does not. */
#define MOST_ARGUMENT 0x1.921fb40000000p+51f

/* The parameter: 0 for the sine, 1 for the cosine. */
void strip_sine(struct strip_work *w)
{
	static const double sines[] = { -0x1.ae64567f544e4p-26, 0x1.71de3a556c734p-19,
					-0x1.a01a01a01a01ap-13, 0x1.1111111111111p-7,
					-0x1.5555555555555p-3, 1 };
	static const double cosines[] = { 0x1.1eed8eff8d898p-29, -0x1.27e4fb7789f5cp-22,
					  0x1.a01a01a01a01ap-16, -0x1.6c16c16c16c17p-10,
					  0x1.5555555555555p-5, -0.5, 1 };
	const struct x86_operand all = strip_copy(w, 0);
	const uint8_t used = w->s->used;
	const struct x86_operand y = strip_temporary(w), z = strip_temporary(w);
	const struct x86_operand p = strip_temporary(w);
	struct x86_operand a, flags = w->isa == X86_AVX512 ? x86_k(SELECT_MASK) : y;

	OP(vandps, y, all, strip_constant32(w, 0x7fffffff));
	OP(vcmpps, flags, y, strip_constant32(w, f32_bits(MOST_ARGUMENT)), IMM(2));
	if (w->isa == X86_AVX512)
		OP(vmovaps, x86_zeroed(all, SELECT_MASK), all);
	else
		OP(vandps, all, all, flags);
	for (int part = 1; part >= 0; part--) {
		emit_turns(w, z, y, all, (unsigned)part);
		OP(vsubpd, z, z, C64(TO_INTEGER));
		OP(vsubpd, y, y, z);
		OP(vmulpd, y, y, C64(0x1.921fb54442d18p0));
		OP(vmulpd, z, y, y);
		emit_series(w, p, z, sines, sizeof(sines) / sizeof(sines[0]), false);
		OP(vmulpd, y, y, p);
		emit_series(w, p, z, cosines, sizeof(cosines) / sizeof(cosines[0]), false);
		choose_quadrant(w, y, p, z, all, (unsigned)part);
		narrow_half(w, all, y, (unsigned)part);
	}
	w->s->used = used;
	a = strip_copy(w, 0);
	OP(vandps, a, a, strip_constant32(w, 0x7fffffff));
	flags = compared_with(w, a, strip_constant32(w, 0x7f800000), 0x15); /* not less */
	strip_choose(w, D, flags, strip_constant32(w, F32_NAN), all, 4);
}

/* @value minus f64 register @x, in it. */
static void subtract_from(struct strip_work *w, struct x86_operand x, double value)
{
	OP2(vpxor, vpxorq, x, x, strip_constant64(w, (uint64_t)1 << 63));
	OP(vaddpd, x, x, C64(value));
}

/* tanh(x) of small x, into register @all, which has the sources; the others are free. */
static void emit_tanh_near(struct strip_work *w, struct x86_operand all, struct x86_operand z,
			   struct x86_operand p)
{
	const uint64_t last = f64_bits(0x1.1111111111111p-3);

	for (int part = 1; part >= 0; part--) {
		widen_half(w, z, all, (unsigned)part);
		OP(vmulpd, z, z, z);
		OP(vpbroadcastq, p, x86_constant(w->x, &last, 8));
		OP(vmulpd, p, z, p);
		subtract_from(w, p, 0x1.5555555555555p-2);
		OP(vmulpd, p, z, p);
		subtract_from(w, p, 1);
		widen_half(w, z, all, (unsigned)part);
		OP(vmulpd, p, z, p);
		narrow_half(w, all, p, (unsigned)part);
	}
}

void strip_tanh(struct strip_work *w)
{
	const struct x86_operand all = strip_copy(w, 0);
	const uint8_t used = w->s->used;
	struct x86_operand x = strip_temporary(w), shifted = strip_temporary(w);
	const struct x86_operand p = strip_temporary(w);
	const uint64_t two = f64_bits(2);
	struct x86_operand a, flags;

	for (int part = 1; part >= 0; part--) {
		widen_half(w, x, all, (unsigned)part);
		OP(vmaxpd, x, x, C64(-40));
		OP(vminpd, x, x, C64(40));
		OP(vmulpd, x, x, C64(0x1.71547652b82fep+1));
		emit_exp2(w, x, shifted, p, false);
		OP(vaddpd, p, p, C64(1));
		OP(vpbroadcastq, x, x86_constant(w->x, &two, 8));
		OP(vdivpd, p, x, p);
		subtract_from(w, p, 1);
		narrow_half(w, all, p, (unsigned)part);
	}
	strip_load(w, x, 0);
	emit_tanh_near(w, x, shifted, p);
	w->s->used = used + 1;
	a = strip_copy(w, 0);
	flags = w->isa == X86_AVX512 ? x86_k(SELECT_MASK) : p;
	OP(vandps, p, a, strip_constant32(w, 0x7fffffff));
	OP(vcmpps, flags, p, strip_constant32(w, f32_bits(0x1p-7f)), IMM(0x11));
	strip_choose(w, all, flags, x, all, 4);
	OP(vcmpps, flags, a, a, IMM(3));
	strip_choose(w, D, flags, strip_constant32(w, F32_NAN), all, 4);
}

void strip_div_approx(struct strip_work *w)
{
	const struct x86_operand b = strip_register(w, 1);
	const struct x86_operand vanished = strip_temporary(w);
	struct x86_operand flags, a, quotient;

	if (w->isa == X86_AVX512) {
		OP(vandps, vanished, b, strip_constant32(w, 0x7fffffff));
		flags = compared_with(w, vanished, strip_constant32(w, f32_bits(0x1p126f)), 0x1e);
	} else {
		flags = strip_temporary(w);
		OP(vandps, flags, b, strip_constant32(w, 0x7fffffff));
		OP(vcmpps, flags, flags, strip_constant32(w, f32_bits(0x1p126f)), IMM(0x1e));
	}
	a = strip_register(w, 0);
	quotient = strip_is_free(w, a) ? a : strip_temporary(w);
	OP(vandps, vanished, b, strip_constant32(w, 0x80000000));
	OP(vmulps, vanished, vanished, a);
	OP(vdivps, quotient, a, b);
	strip_choose(w, D, flags, vanished, quotient, 4);
}
