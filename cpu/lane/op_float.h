/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * f32 and f64 arithmetic that IEEE 754 defines to the last bit, min and max,
 * and sign operations.
 *
 * f32 results that are NaN are the canonical one; f64 results keep the payload
 * of an operand, as x86 does and an H100 was seen to do. Rounding and, for
 * f32, flushing of subnormals are what MXCSR says, except for operations on
 * signs, min and max, which ignore MXCSR: those have .ftz forms.
 */
#ifndef CPU_OP_FLOAT_H
#define CPU_OP_FLOAT_H

#include "op_types.h"

static inline f64 canonical_f64(f64 x)
{
	return x;
}

/* Zero with the sign of @x where @x is subnormal. */
static inline f32 flush_f32(f32 x)
{
	u32 bits = f32_bits(x);

	return bits_f32(bits & 0x7f800000 ? bits : bits & 0x80000000);
}

/* Into [0, 1]; NaN and -0 become +0. */
static inline f32 saturate_f32(f32 x)
{
	f32 low = x > 0 ? x : 0;

	return low < 1 ? low : 1;
}

static inline f64 saturate_f64(f64 x)
{
	f64 low = x > 0 ? x : 0;

	return low < 1 ? low : 1;
}

#define DEFINE(T, sqrt, fma) \
	static inline T op_add_##T(T a, T b) { return canonical_##T(a + b); } \
	static inline T op_sub_##T(T a, T b) { return canonical_##T(a - b); } \
	static inline T op_mul_##T(T a, T b) { return canonical_##T(a * b); } \
	static inline T op_div_##T(T a, T b) { return canonical_##T(a / b); } \
	static inline T op_rcp_##T(T a) { return canonical_##T(1 / a); } \
	static inline T op_sqrt_##T(T a) { return canonical_##T(sqrt(a)); } \
	/* One rounding: never a * b + c, and the compiler may not make it one. */ \
	static inline T op_fma_##T(T a, T b, T c) { return canonical_##T(fma(a, b, c)); }
DEFINE(f32, __builtin_sqrtf, __builtin_fmaf)
DEFINE(f64, __builtin_sqrt, __builtin_fma)
#undef DEFINE

static inline f32 op_add_sat_f32(f32 a, f32 b)
{
	return saturate_f32(a + b);
}

static inline f32 op_sub_sat_f32(f32 a, f32 b)
{
	return saturate_f32(a - b);
}

static inline f32 op_mul_sat_f32(f32 a, f32 b)
{
	return saturate_f32(a * b);
}

static inline f32 op_fma_sat_f32(f32 a, f32 b, f32 c)
{
	return saturate_f32(__builtin_fmaf(a, b, c));
}

static inline f32 op_abs_f32(f32 a)
{
	return bits_f32(f32_bits(canonical_f32(a)) & 0x7fffffff);
}

static inline f32 op_neg_f32(f32 a)
{
	return a == a ? bits_f32(f32_bits(a) ^ 0x80000000) : bits_f32(F32_NAN);
}

static inline f32 op_abs_ftz_f32(f32 a)
{
	return op_abs_f32(flush_f32(a));
}

static inline f32 op_neg_ftz_f32(f32 a)
{
	return op_neg_f32(flush_f32(a));
}

static inline f64 op_abs_f64(f64 a)
{
	return bits_f64(f64_bits(a) & 0x7fffffffffffffff);
}

static inline f64 op_neg_f64(f64 a)
{
	return bits_f64(f64_bits(a) ^ 0x8000000000000000);
}

/* The sign of @a on the value of @b. */
static inline f32 op_copysign_f32(f32 a, f32 b)
{
	return bits_f32((f32_bits(a) & 0x80000000) | (f32_bits(b) & 0x7fffffff));
}

static inline f64 op_copysign_f64(f64 a, f64 b)
{
	return bits_f64((f64_bits(a) & 0x8000000000000000) | (f64_bits(b) & 0x7fffffffffffffff));
}

/*
 * min and max: a number wins over NaN, and -0 is less than +0. Two equal
 * operands are the same bits or two zeros, so that OR and AND choose the sign.
 */
#define DEFINE(T) \
	static inline T op_min_##T(T a, T b) \
	{ \
		T equal = bits_##T(T##_bits(a) | T##_bits(b)); \
		T least = a < b ? a : a == b ? equal : b; \
		return canonical_##T(b == b ? least : a); \
	} \
	static inline T op_max_##T(T a, T b) \
	{ \
		T equal = bits_##T(T##_bits(a) & T##_bits(b)); \
		T most = a > b ? a : a == b ? equal : b; \
		return canonical_##T(b == b ? most : a); \
	}
DEFINE(f32)
DEFINE(f64)
#undef DEFINE

/* .NaN: NaN wins. .xorsign.abs: of the magnitudes, with the product's sign. */
#define DEFINE(name) \
	static inline f32 op_##name##_nan_f32(f32 a, f32 b) \
	{ \
		f32 chosen = op_##name##_f32(a, b); \
		return a == a && b == b ? chosen : bits_f32(F32_NAN); \
	} \
	static inline f32 op_##name##_xorsign_abs_f32(f32 a, f32 b) \
	{ \
		u32 sign = (f32_bits(a) ^ f32_bits(b)) & 0x80000000; \
		f32 chosen = op_##name##_f32(bits_f32(f32_bits(a) & 0x7fffffff), \
					     bits_f32(f32_bits(b) & 0x7fffffff)); \
		return canonical_f32(bits_f32(f32_bits(chosen) | sign)); \
	} \
	static inline f32 op_##name##_nan_xorsign_abs_f32(f32 a, f32 b) \
	{ \
		f32 chosen = op_##name##_xorsign_abs_f32(a, b); \
		return a == a && b == b ? chosen : bits_f32(F32_NAN); \
	} \
	static inline f32 op_##name##_ftz_f32(f32 a, f32 b) \
	{ \
		return op_##name##_f32(flush_f32(a), flush_f32(b)); \
	} \
	static inline f32 op_##name##_ftz_nan_f32(f32 a, f32 b) \
	{ \
		return op_##name##_nan_f32(flush_f32(a), flush_f32(b)); \
	} \
	static inline f32 op_##name##_ftz_xorsign_abs_f32(f32 a, f32 b) \
	{ \
		return op_##name##_xorsign_abs_f32(flush_f32(a), flush_f32(b)); \
	} \
	static inline f32 op_##name##_ftz_nan_xorsign_abs_f32(f32 a, f32 b) \
	{ \
		return op_##name##_nan_xorsign_abs_f32(flush_f32(a), flush_f32(b)); \
	}
DEFINE(min)
DEFINE(max)
#undef DEFINE

#endif
