/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Selection for strips: the approximations of op_approx.h. They are computed in f64, so for half
 * of the lanes at a time, in the same order of operations, but the series of ex2, lg2, sin and cos
 * have fused steps, and rsqrt has other ones: with each of the 2^32 f32, under both modes, it was
 * tried that the bits are the same.
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

/*
 * Where something of 32 bytes and the upper half's result are meanwhile, with AVX2, which has no
 * registers for them: below the stack, where a function that calls nothing may have 128 bytes.
 */
enum { KEPT_AT = -32, UPPER_AT = -48 };

/* Where narrow_half() has the upper half's result. */
static struct x86_operand place_of_upper(struct strip_work *w)
{
	return w->isa == X86_AVX512 ? strip_wide(strip_temporary(w), w->bytes / 2) :
				      x86_at(X86_RSP, UPPER_AT);
}

/*
 * The f64 of register @value as f32: of the upper half (@part 1) into @upper, then of the lower
 * one, and register @to has both. So the lower half waits for nothing of the upper one.
 */
static void narrow_half(struct strip_work *w, struct x86_operand to, struct x86_operand value,
			struct x86_operand upper, unsigned part)
{
	const struct x86_operand half = strip_wide(value, w->bytes / 2);

	OP(vcvtpd2ps, half, value);
	if (part)
		OP(vmovups, upper, half);
	else
		OP2(vinsertf128, vinsertf64x4, to, strip_wide(value, w->bytes), upper, IMM(1));
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
	const struct x86_operand p = strip_temporary(w), upper = place_of_upper(w);
	struct x86_operand a, flags;

	strip_load(w, all, 0);
	OP(vmaxps, all, all, strip_constant32(w, f32_bits(-200)));
	OP(vminps, all, all, strip_constant32(w, f32_bits(200)));
	for (int part = 1; part >= 0; part--) {
		widen_half(w, x, all, (unsigned)part);
		emit_exp2(w, x, shifted, p, true);
		narrow_half(w, all, p, upper, (unsigned)part);
	}
	w->s->used = used;
	a = strip_register(w, 0);
	flags = compared_with(w, a, a, 3);
	strip_choose(w, D, flags, strip_constant32(w, F32_NAN), all, 4);
}

/* log2_f64() of a half of @all, numbers > 0, in @p. */
static void emit_log2(struct strip_work *w, struct x86_operand all, struct x86_operand p,
		      unsigned part)
{
	static const double series[] = {
		0x1.c68f568d31760p-3, 0x1.0c9a84994022dp-2, 0x1.484b13d7c02a9p-2,
		0x1.a61762a7aded9p-2, 0x1.2776c50ef9bfep-1, 0x1.ec709dc3a03fdp-1,
		0x1.71547652b82fep+1,
	};
	const uint64_t least = 0x3fe6a09e667f3bcd, fraction = ((uint64_t)1 << 52) - 1;
	const uint8_t used = w->s->used;
	const struct x86_operand x = strip_temporary(w), z = strip_temporary(w);
	const struct x86_operand whole = w->isa == X86_AVX512 ? strip_temporary(w) : p;
	const struct x86_operand kept = w->isa == X86_AVX512 ? whole : x86_at(X86_RSP, KEPT_AT);

	widen_half(w, x, all, part);
	OP(vpaddq, x, x, strip_constant64(w, ((uint64_t)1024 << 52) - least));
	OP(vpsrlq, whole, x, IMM(52));
	OP2(vpor, vporq, whole, whole, strip_constant64(w, f64_bits(0x1p52)));
	OP(vsubpd, whole, whole, C64(0x1p52 + 1024));
	if (w->isa == X86_AVX2)
		OP(vmovupd, kept, whole);
	OP2(vpand, vpandq, x, x, strip_constant64(w, fraction));
	OP(vpaddq, x, x, strip_constant64(w, least));
	OP(vaddpd, z, x, C64(1));
	OP(vsubpd, x, x, C64(1));
	OP(vdivpd, x, x, z);
	OP(vmulpd, z, x, x);
	emit_series(w, p, z, series, sizeof(series) / sizeof(series[0]), true);
	OP(vmulpd, p, x, p);
	OP(vaddpd, p, p, kept);
	w->s->used = used;
}

/* @to: @a where it is > 0, else 1. */
static void choose_positive(struct strip_work *w, struct x86_operand to, struct x86_operand a)
{
	const uint8_t used = w->s->used;
	const struct x86_operand flags = strip_flags(w);
	struct x86_operand one;

	OP(vcmpps, flags, a, strip_constant32(w, 0), IMM(0x1e));
	one = strip_filled32(w, f32_bits(1));
	strip_choose(w, to, flags, a, one, 4);
	w->s->used = used;
}

void strip_log2(struct strip_work *w)
{
	const struct x86_operand all = strip_copy(w, 0);
	const uint8_t used = w->s->used;
	const struct x86_operand p = strip_temporary(w), upper = place_of_upper(w);
	struct x86_operand a, flags;

	choose_positive(w, all, all);
	for (int part = 1; part >= 0; part--) {
		emit_log2(w, all, p, (unsigned)part);
		narrow_half(w, all, p, upper, (unsigned)part);
	}
	w->s->used = used;
	a = strip_register(w, 0);
	flags = compared_with(w, a, strip_constant32(w, 0x7f800000), 0);
	strip_choose(w, all, flags, a, all, 4);
	OP(vcmpps, flags, a, strip_constant32(w, 0), IMM(0));
	strip_choose(w, all, flags, strip_constant32(w, 0xff800000), all, 4);
	OP(vcmpps, flags, a, strip_constant32(w, 0), IMM(0x19)); /* not >= 0 */
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

/* sine_f32() of a half of @all, in @r, of which the argument is known to be small, or NaN. */
static void emit_sine(struct strip_work *w, struct x86_operand all, struct x86_operand r,
		      struct x86_operand z, struct x86_operand p, unsigned part)
{
	static const double series[] = {
		0x1.d52d8e1f02dbdp-12, -0x1.e29b289521afap-8, 0x1.50770f9324a06p-4,
		-0x1.32d2c9bee8889p-1, 0x1.466bc66f4e751p+1, -0x1.4abbce624e153p+2,
		0x1.921fb54442d18p+1,
	};
	const double half_turn = 0x1.45f306dc9c883p-2;

	widen_half(w, r, all, part);
	OP(vmulpd, r, r, C64(w->parameter ? -half_turn : half_turn));
	if (w->parameter)
		OP(vaddpd, r, r, C64(0.5));
	OP(vaddpd, z, r, C64(TO_INTEGER));
	OP(vsubpd, p, z, C64(TO_INTEGER));
	OP(vsubpd, r, r, p);
	OP(vpsllq, z, z, IMM(63));
	OP2(vpxor, vpxorq, r, r, z);
	OP(vmulpd, z, r, r);
	emit_series(w, p, z, series, sizeof(series) / sizeof(series[0]), true);
	OP(vmulpd, r, r, p);
}

/* Numbers of 2^51 quarter turns and more count as 0: this is the greatest that does not. */
#define MOST_ARGUMENT 0x1.921fb4p+51f

/* The parameter: 0 for the sine, 1 for the cosine. */
void strip_sine(struct strip_work *w)
{
	const struct x86_operand all = strip_copy(w, 0);
	const struct x86_operand r = strip_temporary(w), z = strip_temporary(w);
	const struct x86_operand p = strip_temporary(w), upper = place_of_upper(w);
	const struct x86_operand flags = w->isa == X86_AVX512 ? x86_k(SELECT_MASK) : p;

	OP(vandps, r, all, strip_constant32(w, 0x7fffffff));
	OP(vcmpps, flags, r, strip_constant32(w, f32_bits(MOST_ARGUMENT)), IMM(2));
	OP(vsubps, z, all, all); /* NaN of infinities and NaNs, else 0 */
	strip_choose(w, all, flags, w->parameter ? r : all, z, 4);
	for (int part = 1; part >= 0; part--) {
		emit_sine(w, all, r, z, p, (unsigned)part);
		narrow_half(w, D, r, upper, (unsigned)part);
	}
}

/* @value minus f64 register @x, in it. */
static void subtract_from(struct strip_work *w, struct x86_operand x, double value)
{
	OP2(vpxor, vpxorq, x, x, strip_constant64(w, (uint64_t)1 << 63));
	OP(vaddpd, x, x, C64(value));
}

/* tanh(x) of small x, into register @all, which has the sources; the others are free. */
static void emit_tanh_near(struct strip_work *w, struct x86_operand all, struct x86_operand z,
			   struct x86_operand p, struct x86_operand upper)
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
		narrow_half(w, all, p, upper, (unsigned)part);
	}
}

void strip_tanh(struct strip_work *w)
{
	const struct x86_operand all = strip_copy(w, 0);
	const uint8_t used = w->s->used;
	struct x86_operand x = strip_temporary(w), shifted = strip_temporary(w);
	const struct x86_operand p = strip_temporary(w), upper = place_of_upper(w);
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
		narrow_half(w, all, p, upper, (unsigned)part);
	}
	strip_load(w, x, 0);
	emit_tanh_near(w, x, shifted, p, upper);
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
