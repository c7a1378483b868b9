/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What the tests of op_*.h hold the functions against: floating point by
 * __float128 and one rounding written out, operands that sit on every edge, and
 * arithmetic under a chosen MXCSR.
 */
#ifndef TEST_OP_REFERENCE_H
#define TEST_OP_REFERENCE_H

#include <math.h>

#include "op_half.h"
#include "tap.h"

typedef __float128 quad;

struct format {
	int bits, fraction;
};

static const struct format format_f16 TAP_UNUSED = { 16, 10 };
static const struct format format_bf16 TAP_UNUSED = { 16, 7 };
static const struct format format_f32 TAP_UNUSED = { 32, 23 };
static const struct format format_f64 TAP_UNUSED = { 64, 52 };

TAP_UNUSED static int format_least(struct format f) /* the smallest normal exponent */
{
	return 2 - (1 << (f.bits - f.fraction - 2));
}

TAP_UNUSED static u64 format_infinity(struct format f)
{
	return ((1ull << (f.bits - 1 - f.fraction)) - 1) << f.fraction;
}

TAP_UNUSED static u64 format_sign(struct format f)
{
	return 1ull << (f.bits - 1);
}

TAP_UNUSED static bool is_nan(struct format f, u64 bits)
{
	return (bits & (format_sign(f) - 1)) > format_infinity(f);
}

TAP_UNUSED static bool is_subnormal(struct format f, u64 bits)
{
	return !(bits & format_infinity(f)) && (bits & (format_sign(f) - 1));
}

TAP_UNUSED static u64 flushed(struct format f, u64 bits)
{
	return is_subnormal(f, bits) ? bits & format_sign(f) : bits;
}

TAP_UNUSED static quad power_of_two(int e)
{
	return (quad)ldexp(1, e / 2) * (quad)ldexp(1, e - e / 2);
}

/* The number that @bits are; infinity stays one. */
TAP_UNUSED static quad value_of(struct format f, u64 bits)
{
	u64 magnitude = bits & (format_sign(f) - 1), m = magnitude & ((1ull << f.fraction) - 1);
	int e = (int)(magnitude >> f.fraction), least = format_least(f);
	quad x = e ? (quad)(m | 1ull << f.fraction) * power_of_two(e - 1 + least - f.fraction)
		   : (quad)m * power_of_two(least - f.fraction);

	if (magnitude == format_infinity(f))
		x = __builtin_inf();
	return bits & format_sign(f) ? -x : x;
}

TAP_UNUSED static unsigned __int128 quad_bits(quad x)
{
	unsigned __int128 bits;

	memcpy(&bits, &x, sizeof(bits));
	return bits;
}

/* a + b, rounded to odd, so that rounding it again is right. */
TAP_UNUSED static quad odd_sum(quad a, quad b)
{
	quad sum = a + b, part = sum - a, error = (a - (sum - part)) + (b - part);
	unsigned __int128 bits = quad_bits(sum);

	if (error != 0 && !(bits & 1)) {
		bits += (error < 0) == (sum < 0) ? 1 : -1;
		memcpy(&sum, &bits, sizeof(sum));
	}
	return sum;
}

/* The bits of @x in @f, rounded once, in direction @mode. NaN is all ones below the sign. */
TAP_UNUSED static u64 rounded(struct format f, quad x, enum rounding mode)
{
	bool negative = quad_bits(x) >> 127, up;
	quad magnitude = negative ? -x : x, scaled;
	int e = (int)(quad_bits(magnitude) >> 112) - 16383, least = format_least(f);
	u64 sign = negative ? format_sign(f) : 0, whole, limit = format_infinity(f);

	if (x != x)
		return format_sign(f) - 1;
	if (magnitude > (quad)__DBL_MAX__ * 4)
		e = 2000;
	e = e < least ? least : e;
	scaled = e < 2000 ? magnitude * power_of_two(f.fraction - e) : 0;
	whole = (u64)scaled;
	scaled -= (quad)whole;
	up = mode == ROUND_RN   ? scaled > 0.5 || (scaled == 0.5 && (whole & 1))
	     : mode == ROUND_RM ? scaled > 0 && negative
	     : mode == ROUND_RP ? scaled > 0 && !negative
				: false;
	whole += up + ((u64)(e - least) << f.fraction);
	if (magnitude - magnitude != 0)
		return sign | limit;
	if (whole >= limit || e == 2000)
		whole = mode == ROUND_RN || (mode == ROUND_RM && negative) ||
				(mode == ROUND_RP && !negative) ? limit : limit - 1;
	return sign | whole;
}

/* Pseudo-random numbers: the same in every run. */
TAP_UNUSED static u64 random_bits(void)
{
	static u64 state = 0x9e3779b97f4a7c15;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state * 0x2545f4914f6cdd1d;
}

/* The @i-th operand of @f: edges first, then numbers of all sizes. */
TAP_UNUSED static u64 float_operand(struct format f, unsigned i)
{
	u64 one = (u64)(1 - format_least(f)) << f.fraction, unit = 1ull << f.fraction;
	u64 edges[] = { 0, 1, unit / 2, unit - 1, unit, unit + 1, one - 1, one, one + 1, one + unit,
			one + unit / 2, one - unit, format_infinity(f) - 1, format_infinity(f),
			format_infinity(f) + unit / 2, format_infinity(f) + 1 };
	unsigned count = sizeof(edges) / sizeof(edges[0]);
	u64 bits = random_bits() & (2 * format_sign(f) - 1);

	if (i < 2 * count)
		return edges[i / 2] | (i & 1 ? format_sign(f) : 0);
	if (i & 1)
		return bits;
	/* Near one in size, so that sums and products neither vanish nor overflow. */
	return (bits & (format_sign(f) | (unit - 1))) | (one + (bits >> f.fraction) % 12 * unit - 6 * unit);
}

enum { FLOAT_EDGES = 32 };

/* The @i-th integer: edges of every width, then numbers of all lengths. */
TAP_UNUSED static u64 int_operand(unsigned i)
{
	static const u64 edges[] = { 0, 1, 2, 3, 7, 8, 31, 32, 33, 63, 64, 65, 127, 128, 255, 256,
				     0x7fff, 0x8000, 0xffff, 0x10000, 0x7fffff, 0x800000, 0x1000000,
				     0x7fffffff, 0x80000000, 0xffffffff, 0x100000000, 0x5555555555555555,
				     INT64_MAX, 1ull << 63, UINT64_MAX - 1, UINT64_MAX };
	unsigned count = sizeof(edges) / sizeof(edges[0]);

	return i < count ? edges[i] : random_bits() >> random_bits() % 64;
}

enum { INT_EDGES = 32 };

#define MXCSR_RN 0x1f80u
#define MXCSR_FTZ 0x8040u

/* Rounds as @mode says from here on; the compiler moves nothing across. */
TAP_UNUSED static void set_rounding(enum rounding mode, bool ftz)
{
	static const u32 bits[] = { 0, 0x6000, 0x2000, 0x4000 };
	u32 mxcsr = MXCSR_RN | bits[mode] | (ftz ? MXCSR_FTZ : 0);

	__asm__ volatile("ldmxcsr %0" : : "m"(mxcsr) : "memory");
}

/* A failure says the operands; only the first few of a test are printed. */
TAP_UNUSED static void check_op(bool good, const char *what, u64 a, u64 b, u64 got, u64 want)
{
	static const char *last;
	static int printed;

	if (good)
		return;
	printed = last == what ? printed + 1 : 0;
	last = what;
	tap.failed = true;
	if (printed < 4)
		printf("# %s(%#llx, %#llx): got %#llx, want %#llx\n", what, (unsigned long long)a,
		       (unsigned long long)b, (unsigned long long)got, (unsigned long long)want);
}

/* Equal, or both NaN. */
#define CHECK_FLOAT(f, what, a, b, got, want)                                                  \
	check_op((got) == (want) || (is_nan(f, got) && is_nan(f, want)), what, a, b, got, want)
#define CHECK_BITS(what, a, b, got, want)                                                      \
	check_op((u64)(got) == (u64)(want), what, (u64)(a), (u64)(b), (u64)(got), (u64)(want))

#endif
