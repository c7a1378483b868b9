/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Integer arithmetic: add sub mul mad mul24 mad24 sad div rem abs neg min max,
 * dot products, and the carry chain. Results wrap where not said otherwise.
 */
#ifndef CPU_OP_INT_H
#define CPU_OP_INT_H

#include "op_types.h"

/* The types of integer arithmetic: T, and an unsigned type of at least its
 * size that C does not promote. */
#define INT_TYPES(X) X(s16, u32) X(u16, u32) X(s32, u32) X(u32, u32) X(s64, u64) X(u64, u64)
/* T, the type of its products, and that type's unsigned sibling. */
#define INT_PRODUCTS(X) X(s16, s32, u32) X(u16, u32, u32) X(s32, s64, u64) X(u32, u64, u64)

#define DEFINE(T, U) \
	static inline T op_add_##T(T a, T b) { return (T)((U)a + (U)b); } \
	static inline T op_sub_##T(T a, T b) { return (T)((U)a - (U)b); } \
	static inline T op_mul_lo_##T(T a, T b) { return (T)((U)a * (U)b); } \
	static inline T op_mad_lo_##T(T a, T b, T c) { return (T)((U)a * (U)b + (U)c); } \
	static inline T op_min_##T(T a, T b) { return a < b ? a : b; } \
	static inline T op_max_##T(T a, T b) { return a > b ? a : b; } \
	static inline T op_sad_##T(T a, T b, T c) \
	{ \
		return (T)((U)c + (a < b ? (U)b - (U)a : (U)a - (U)b)); \
	}
INT_TYPES(DEFINE)
#undef DEFINE

#define DEFINE(T, W, UW) \
	static inline W op_mul_wide_##T(T a, T b) { return (W)a * (W)b; } \
	static inline T op_mul_hi_##T(T a, T b) { return (T)((W)a * (W)b >> 8 * sizeof(T)); } \
	static inline W op_mad_wide_##T(T a, T b, W c) { return (W)((UW)((W)a * (W)b) + (UW)c); } \
	static inline T op_mad_hi_##T(T a, T b, T c) \
	{ \
		return (T)((UW)op_mul_hi_##T(a, b) + (UW)c); \
	}
INT_PRODUCTS(DEFINE)
#undef DEFINE

static inline s64 op_mul_hi_s64(s64 a, s64 b)
{
	return (s64)((__int128)a * b >> 64);
}

static inline u64 op_mul_hi_u64(u64 a, u64 b)
{
	return (u64)((unsigned __int128)a * b >> 64);
}

static inline s64 op_mad_hi_s64(s64 a, s64 b, s64 c)
{
	return (s64)((u64)op_mul_hi_s64(a, b) + (u64)c);
}

static inline u64 op_mad_hi_u64(u64 a, u64 b, u64 c)
{
	return op_mul_hi_u64(a, b) + c;
}

#define DEFINE(T, U) \
	static inline T op_neg_##T(T a) { return (T)(0 - (U)a); } \
	static inline T op_abs_##T(T a) { return a < 0 ? op_neg_##T(a) : a; }
DEFINE(s16, u32)
DEFINE(s32, u32)
DEFINE(s64, u64)
#undef DEFINE

/* Saturating and clamped-at-zero forms, s32 only. */

static inline s32 op_add_sat_s32(s32 a, s32 b)
{
	u32 sum = (u32)a + (u32)b;
	u32 limit = ((u32)a >> 31) + 0x7fffffffu;
	bool overflow = (s32)(((u32)a ^ sum) & ((u32)b ^ sum)) < 0;

	return (s32)(overflow ? limit : sum);
}

static inline s32 op_sub_sat_s32(s32 a, s32 b)
{
	u32 difference = (u32)a - (u32)b;
	u32 limit = ((u32)a >> 31) + 0x7fffffffu;
	bool overflow = (s32)(((u32)a ^ (u32)b) & ((u32)a ^ difference)) < 0;

	return (s32)(overflow ? limit : difference);
}

static inline s32 op_mad_hi_sat_s32(s32 a, s32 b, s32 c)
{
	return op_add_sat_s32(op_mul_hi_s32(a, b), c);
}

static inline s32 op_min_relu_s32(s32 a, s32 b)
{
	return op_max_s32(op_min_s32(a, b), 0);
}

static inline s32 op_max_relu_s32(s32 a, s32 b)
{
	return op_max_s32(op_max_s32(a, b), 0);
}

/* Products of the low 24 bits: lo is bits 31..0 of the 48, hi is bits 47..16. */

static inline s32 low24_s32(s32 a)
{
	return (s32)((u32)a << 8) >> 8;
}

static inline u32 low24_u32(u32 a)
{
	return a & 0xffffff;
}

#define DEFINE(T, W) \
	static inline T op_mul24_lo_##T(T a, T b) \
	{ \
		return (T)((u32)low24_##T(a) * (u32)low24_##T(b)); \
	} \
	static inline T op_mul24_hi_##T(T a, T b) \
	{ \
		return (T)((W)low24_##T(a) * low24_##T(b) >> 16); \
	} \
	static inline T op_mad24_lo_##T(T a, T b, T c) \
	{ \
		return op_add_##T(op_mul24_lo_##T(a, b), c); \
	} \
	static inline T op_mad24_hi_##T(T a, T b, T c) \
	{ \
		return op_add_##T(op_mul24_hi_##T(a, b), c); \
	}
DEFINE(s32, s64)
DEFINE(u32, u64)
#undef DEFINE

static inline s32 op_mad24_hi_sat_s32(s32 a, s32 b, s32 c)
{
	return op_add_sat_s32(op_mul24_hi_s32(a, b), c);
}

/*
 * Division. The ISA leaves x / 0 and x % 0 open; both are all ones, as on an
 * H100. INT_MIN / -1 wraps. 16 and 32 bits divide in floating point, which is exact
 * (the quotient has fewer bits than the significand) and vectorises. 32 bits multiply
 * by a reciprocal, which loops over lanes that share a divisor compute once.
 */

static inline u16 op_div_u16(u16 a, u16 b)
{
	s32 quotient = (s32)((f32)(s32)a / (f32)(s32)(b ? b : 1));

	return (u16)(b ? quotient : 0xffff);
}

static inline s16 op_div_s16(s16 a, s16 b)
{
	s32 quotient = (s32)((f32)a / (f32)(b ? b : 1));

	return (s16)(b ? quotient : -1);
}

/* @x as f64, where rounding is to nearest: the magic number 2^52. */
static inline f64 exact_f64_u32(u32 x)
{
	return bits_f64(0x4330000000000000u | x) - 0x1p52;
}

/*
 * A little more than 1 / @x, in any rounding mode: by 2^-51 of it at most. A quotient is
 * then not below the true one, nor does it reach the next whole number, which is farther
 * away than 2^-32 of it.
 */
static inline f64 reciprocal_above(f64 x)
{
	return bits_f64(f64_bits(1 / x) + 1);
}

static inline u32 op_div_u32(u32 a, u32 b)
{
	f64 quotient = exact_f64_u32(a) * reciprocal_above(exact_f64_u32(b ? b : 1));
	f64 high = quotient >= 0x1p31 ? 0x1p31 : 0;
	u32 low = (u32)(s32)(quotient - high);

	return b ? low + (high > 0 ? 0x80000000u : 0) : ~0u;
}

static inline s32 op_div_s32(s32 a, s32 b)
{
	bool plain = b != 0 && b != -1;
	s32 quotient = (s32)((f64)a * reciprocal_above((f64)(plain ? b : 1)));
	u32 flip = b == -1 ? ~0u : 0; /* -a; and for b == 0, all ones */

	quotient = (s32)(((u32)quotient ^ flip) - flip);
	return b == 0 ? -1 : quotient;
}

static inline u64 op_div_u64(u64 a, u64 b)
{
	return b ? a / b : ~(u64)0;
}

static inline s64 op_div_s64(s64 a, s64 b)
{
	bool plain = b != 0 && b != -1;
	s64 quotient = a / (plain ? b : 1);

	return b == 0 ? -1 : b == -1 ? op_neg_s64(a) : quotient;
}

static inline u64 op_rem_u64(u64 a, u64 b)
{
	return b ? a % b : ~(u64)0;
}

static inline s64 op_rem_s64(s64 a, s64 b)
{
	bool plain = b != 0 && b != -1;
	s64 remainder = a % (plain ? b : 1);

	return b == 0 ? -1 : remainder;
}

#define DEFINE(T) \
	static inline T op_rem_##T(T a, T b) \
	{ \
		T remainder = op_sub_##T(a, op_mul_lo_##T(op_div_##T(a, b), b)); \
		return b == 0 ? (T)-1 : remainder; \
	}
DEFINE(u16)
DEFINE(s16)
DEFINE(u32)
DEFINE(s32)
#undef DEFINE

/* Dot products: four bytes by four bytes, two halves by two of the four bytes. */

static inline u32 byte_u32(u32 x, int i)
{
	return x >> 8 * i & 0xff;
}

static inline u32 byte_s32(u32 x, int i)
{
	return (u32)(s32)(s8)(x >> 8 * i);
}

static inline u32 half_u32(u32 x, int i)
{
	return x >> 16 * i & 0xffff;
}

static inline u32 half_s32(u32 x, int i)
{
	return (u32)(s32)(s16)(x >> 16 * i);
}

#define DEFINE(A, B) \
	static inline u32 op_dp4a_##A##_##B(u32 a, u32 b, u32 c) \
	{ \
		return c + byte_##A(a, 0) * byte_##B(b, 0) + byte_##A(a, 1) * byte_##B(b, 1) + \
			byte_##A(a, 2) * byte_##B(b, 2) + byte_##A(a, 3) * byte_##B(b, 3); \
	} \
	static inline u32 op_dp2a_lo_##A##_##B(u32 a, u32 b, u32 c) \
	{ \
		return c + half_##A(a, 0) * byte_##B(b, 0) + half_##A(a, 1) * byte_##B(b, 1); \
	} \
	static inline u32 op_dp2a_hi_##A##_##B(u32 a, u32 b, u32 c) \
	{ \
		return c + half_##A(a, 0) * byte_##B(b, 2) + half_##A(a, 1) * byte_##B(b, 3); \
	}
DEFINE(u32, u32)
DEFINE(u32, s32)
DEFINE(s32, u32)
DEFINE(s32, s32)
#undef DEFINE

/*
 * The carry chain. Each step is two functions: the result, and the carry that
 * it leaves for the next. @carry is 0 or 1. A subtraction is a + ~b + carry, as
 * on the hardware: it leaves 0 after a borrow. Chains that mix both kinds depend on
 * it, such as the division of 128 bits that nvcc emits; sub.cc itself, which
 * begins a chain, reads no carry (@unused).
 */
#define DEFINE(T) \
	static inline T op_addc_##T(T a, T b, T carry) { return a + b + carry; } \
	static inline T op_addc_carry_##T(T a, T b, T carry) \
	{ \
		T sum = a + b; \
		return (sum < a) | ((T)(sum + carry) < sum); \
	} \
	static inline T op_subc_##T(T a, T b, T carry) { return op_addc_##T(a, ~b, carry); } \
	static inline T op_subc_carry_##T(T a, T b, T carry) \
	{ \
		return op_addc_carry_##T(a, ~b, carry); \
	} \
	static inline T op_sub_first_##T(T a, T b, T unused) { (void)unused; return a - b; } \
	static inline T op_sub_first_carry_##T(T a, T b, T unused) \
	{ \
		(void)unused; \
		return a >= b; \
	} \
	/* mad.cc and madc: the carry is that of the addition. */ \
	static inline T op_madc_lo_##T(T a, T b, T c, T carry) \
	{ \
		return op_addc_##T((T)(1u * a * b), c, carry); \
	} \
	static inline T op_madc_lo_carry_##T(T a, T b, T c, T carry) \
	{ \
		return op_addc_carry_##T((T)(1u * a * b), c, carry); \
	}
DEFINE(u16)
DEFINE(u32)
DEFINE(u64)
#undef DEFINE

#define DEFINE(T, U) \
	static inline U op_madc_hi_##T(T a, T b, U c, U carry) \
	{ \
		return op_addc_##U((U)op_mul_hi_##T(a, b), c, carry); \
	} \
	static inline U op_madc_hi_carry_##T(T a, T b, U c, U carry) \
	{ \
		return op_addc_carry_##U((U)op_mul_hi_##T(a, b), c, carry); \
	}
DEFINE(s16, u16)
DEFINE(u16, u16)
DEFINE(s32, u32)
DEFINE(u32, u32)
DEFINE(s64, u64)
DEFINE(u64, u64)
#undef DEFINE

/* Two halves at once. */

#define DEFINE(name, fn, T) \
	static inline u32 op_##name##_##T##x2(u32 a, u32 b) \
	{ \
		return pair_b32((u16)fn((T)a, (T)b), (u16)fn((T)(a >> 16), (T)(b >> 16))); \
	}
static inline s16 relu_min_s16(s16 a, s16 b)
{
	return op_max_s16(op_min_s16(a, b), 0);
}

static inline s16 relu_max_s16(s16 a, s16 b)
{
	return op_max_s16(op_max_s16(a, b), 0);
}

DEFINE(add, op_add_s16, s16)
DEFINE(add, op_add_u16, u16)
DEFINE(min, op_min_s16, s16)
DEFINE(min, op_min_u16, u16)
DEFINE(max, op_max_s16, s16)
DEFINE(max, op_max_u16, u16)
DEFINE(min_relu, relu_min_s16, s16)
DEFINE(max_relu, relu_max_s16, s16)
#undef DEFINE

#endif
