/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The approximate functions: ex2 lg2 sin cos tanh rcp rsqrt div. The ISA only
 * bounds their error; here they are computed in f64, by series good to 2^-36 or
 * better, and rounded, so that an f32 result is nearly always the nearest one.
 * A .ftz form runs under MXCSR's FTZ and DAZ, which the conversions from and
 * to f32 obey.
 *
 * Two techniques recur. Adding 1.5 * 2^52 rounds to an integer, whose two's
 * complement is then the low bits of the sum. And what SSE2 and AVX2 cannot do
 * on 64-bit integers (compare, convert, shift right keeping the sign) is avoided.
 */
#ifndef CPU_OP_APPROX_H
#define CPU_OP_APPROX_H

#include "op_half.h"

#define TO_INTEGER 0x1.8p52

/* 2^x for |x| <= 1000; any value beyond, and for NaN. */
static inline f64 exp2_f64(f64 x)
{
	f64 shifted = x + TO_INTEGER, r = x - (shifted - TO_INTEGER);
	f64 p = 0x1.b5253d395e7c4p-24; /* ln(2)^k / k! from k = 9 on */

	p = p * r + 0x1.62c0223a5c824p-20;
	p = p * r + 0x1.ffcbfc588b0c7p-17;
	p = p * r + 0x1.430912f86c787p-13;
	p = p * r + 0x1.5d87fe78a6731p-10;
	p = p * r + 0x1.3b2ab6fba4e77p-7;
	p = p * r + 0x1.c6b08d704a0c0p-5;
	p = p * r + 0x1.ebfbdff82c58fp-3;
	p = p * r + 0x1.62e42fefa39efp-1;
	p = p * r + 1;
	return bits_f64(f64_bits(p) + (f64_bits(shifted) << 52));
}

/* @x into [low, high], NaN to low. */
static inline f64 clamp_f64(f64 x, f64 low, f64 high)
{
	f64 above = x > low ? x : low;

	return above < high ? above : high;
}

static inline f32 op_ex2_approx_f32(f32 a)
{
	f32 power = (f32)exp2_f64(clamp_f64(a, -200, 200));

	return a == a ? power : bits_f32(F32_NAN);
}

/* log2(x) for finite x > 0: of a fraction in [sqrt(1/2), sqrt(2)), by atanh's series. */
static inline f64 log2_f64(f64 x)
{
	u64 biased = f64_bits(x) - 0x3fe6a09e667f3bcd + ((u64)1024 << 52);
	u64 exponent = biased >> 52; /* 1024 too large */
	f64 whole = bits_f64(0x4330000000000000 | exponent) - (0x1p52 + 1024);
	f64 m = bits_f64(f64_bits(x) - (exponent << 52) + ((u64)1024 << 52));
	f64 s = (m - 1) / (m + 1), z = s * s;
	f64 p = 0x1.c68f568d31760p-3; /* 2 / (ln(2) (2k + 1)) from k = 6 on */

	p = p * z + 0x1.0c9a84994022dp-2;
	p = p * z + 0x1.484b13d7c02a9p-2;
	p = p * z + 0x1.a61762a7aded9p-2;
	p = p * z + 0x1.2776c50ef9bfep-1;
	p = p * z + 0x1.ec709dc3a03fdp-1;
	p = p * z + 0x1.71547652b82fep+1;
	return whole + s * p;
}

static inline f32 op_lg2_approx_f32(f32 a)
{
	f32 log = (f32)log2_f64(a > 0 ? (f64)a : 1);

	log = a < __builtin_inff() ? log : a;
	log = a == 0 ? -__builtin_inff() : log;
	return a >= 0 ? log : bits_f32(F32_NAN);
}

/*
 * sin(x), or cos(x) if @cosine, as the sine of pi/2 - |x|. The argument is reduced in half turns;
 * its error grows with |x|, to 2^-33 at 2^20. From 2^51 quarter turns on, where an f64 has no
 * fraction of one, it counts as 0.
 */
static inline f32 sine_f32(f32 a, bool cosine)
{
	f32 x = __builtin_fabsf(a) <= 0x1.921fb4p51f ? a : a - a; /* NaN of infinities and NaNs */
	f64 turns = cosine ? 0.5 - __builtin_fabs((f64)x) * 0x1.45f306dc9c883p-2 :
			     x * 0x1.45f306dc9c883p-2;
	f64 shifted = turns + TO_INTEGER, r = turns - (shifted - TO_INTEGER), z = r * r;
	f64 p = 0x1.d52d8e1f02dbdp-12; /* of sin(pi r) / r: the error is 2^-43 at most */
	f32 value;

	p = p * z - 0x1.e29b289521afap-8;
	p = p * z + 0x1.50770f9324a06p-4;
	p = p * z - 0x1.32d2c9bee8889p-1;
	p = p * z + 0x1.466bc66f4e751p+1;
	p = p * z - 0x1.4abbce624e153p+2;
	p = p * z + 0x1.921fb54442d18p+1;
	r = bits_f64(f64_bits(r) ^ f64_bits(shifted) << 63); /* odd half turns */
	value = (f32)(r * p); /* -0 for -0 */
	return value == value ? value : bits_f32(F32_NAN);
}

static inline f32 op_sin_approx_f32(f32 a)
{
	return sine_f32(a, false);
}

static inline f32 op_cos_approx_f32(f32 a)
{
	return sine_f32(a, true);
}

/* tanh(x) = 1 - 2 / (e^2x + 1), except for small x, where that cancels. */
static inline f64 tanh_f64(f64 x)
{
	f64 z = x * x, near = x * (1 - z * (0x1.5555555555555p-2 - z * 0x1.1111111111111p-3));
	f64 power = exp2_f64(clamp_f64(x, -40, 40) * 0x1.71547652b82fep+1);
	f64 far = 1 - 2 / (power + 1);

	return __builtin_fabs(x) < 0x1p-7 ? near : far;
}

static inline f32 op_tanh_approx_f32(f32 a)
{
	f32 value = (f32)tanh_f64(a);

	return a == a ? value : bits_f32(F32_NAN);
}

#define DEFINE(T) \
	static inline T op_tanh_approx_##T(T a) \
	{ \
		f32 x = T##_to_f32(a); \
		T value = T##_from_f64(tanh_f64(x), ROUND_RN); \
		return x == x ? value : F16_NAN; \
	} \
	static inline T op_ex2_approx_##T(T a) \
	{ \
		f32 x = T##_to_f32(a); \
		T value = T##_from_f64(exp2_f64(clamp_f64(x, -200, 200)), ROUND_RN); \
		return x == x ? value : F16_NAN; \
	}
DEFINE(f16)
DEFINE(bf16)
#undef DEFINE

/* Flushes a subnormal result; the result of a subnormal operand is 1 in any case. */
static inline bf16 op_ex2_approx_ftz_bf16(bf16 a)
{
	bf16 power = op_ex2_approx_bf16(a);

	return power & 0x7f80 ? power : 0;
}

/* Divisors of 2^126 and more have the reciprocal 0, as the ISA specifies. */
static inline f32 op_div_approx_f32(f32 a, f32 b)
{
	f32 vanished = a * bits_f32(f32_bits(b) & 0x80000000);

	return canonical_f32(__builtin_fabsf(b) > 0x1p126f ? vanished : a / b);
}

/*
 * The estimate, whose square times @a is 1 - e, times (1 - e)^(-1/2) by its series. For every f32
 * these are the bits that a root and a division of f64 give. Of 0 and infinity e is NaN.
 */
static inline f32 op_rsqrt_approx_f32(f32 a)
{
	f32 estimate = 1 / __builtin_sqrtf(a);
	f64 y = estimate, e = 1 - (f64)a * y * y;
	f32 value = (f32)(y + y * e * (0.5 + e * 0.375));

	return value == value ? value : canonical_f32(estimate);
}

static inline f64 op_rsqrt_approx_f64(f64 a)
{
	return 1 / __builtin_sqrt(a);
}

/* The f64 forms with .ftz read and return the high word only. */

static inline f64 high_ftz_f64(f64 x)
{
	u64 bits = f64_bits(x) & 0xffffffff00000000;

	return bits_f64(bits & 0x7ff0000000000000 ? bits : bits & 0x8000000000000000);
}

static inline f64 op_rcp_approx_ftz_f64(f64 a)
{
	f64 value = high_ftz_f64(1 / high_ftz_f64(a));

	return value == value ? value : bits_f64(0x7fffffff00000000);
}

static inline f64 op_rsqrt_approx_ftz_f64(f64 a)
{
	f64 value = high_ftz_f64(1 / __builtin_sqrt(high_ftz_f64(a)));

	return value == value ? value : bits_f64(0x7fffffff00000000);
}

#undef TO_INTEGER

#endif
