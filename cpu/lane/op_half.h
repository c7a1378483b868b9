/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * f16 and bf16, as bits: to and from f32 and f64, and arithmetic, which is done
 * in a wider type and rounded once. All of it expects MXCSR to round to nearest
 * and to flush nothing: rounding in other directions is in the functions.
 */
#ifndef CPU_OP_HALF_H
#define CPU_OP_HALF_H

#include "op_float.h"

/* Of 16 bits; wider types have it in each 16. */
enum { OOB_NAN = 0x7ff7 };

enum rounding { ROUND_RN, ROUND_RZ, ROUND_RM, ROUND_RP };

/*
 * What to add to a magnitude cut off below its last bit. @nearest: it rounds up
 * to nearest; @inexact: something was cut off. Folds away: @mode is a constant.
 */
static inline __attribute__((always_inline)) u32 rounding_step(enum rounding mode, u32 nearest,
							       u32 inexact, u32 negative)
{
	switch (mode) {
	case ROUND_RN: return nearest;
	case ROUND_RZ: return 0;
	case ROUND_RM: return inexact & negative;
	case ROUND_RP: return inexact & (negative ^ 1);
	}
	return 0;
}

/* Both exact; NaN keeps its sign and payload. */
static inline f32 f16_to_f32(f16 h)
{
	u32 sign = (u32)(h & 0x8000) << 16, magnitude = h & 0x7fff;
	u32 tiny = f32_bits((f32)(s32)magnitude * 0x1p-24f);
	u32 normal = (magnitude << 13) + (magnitude < 0x7c00 ? 0x38000000 : 0x70000000);

	return bits_f32((magnitude < 0x400 ? tiny : normal) | sign);
}

static inline f32 bf16_to_f32(bf16 h)
{
	return bits_f32((u32)h << 16);
}

/* Numbers of 16 bits are widened exactly; the result is rounded once, as MXCSR says. */
#define WIDENED2(op, T) \
	static inline f32 op_##op##_f32_##T(T a, f32 b) \
	{ \
		return op_##op##_f32(T##_to_f32(a), b); \
	}
#define WIDENED3(op, T) \
	static inline f32 op_##op##_f32_##T(T a, T b, f32 c) \
	{ \
		return op_##op##_f32(T##_to_f32(a), T##_to_f32(b), c); \
	}
#define WIDENED(T) \
	WIDENED2(add, T) WIDENED2(add_sat, T) WIDENED2(sub, T) WIDENED2(sub_sat, T) \
	WIDENED3(fma, T) WIDENED3(fma_sat, T)
WIDENED(f16)
WIDENED(bf16)
#undef WIDENED
#undef WIDENED2
#undef WIDENED3

/* Rounded in direction @mode, a constant. Overflow is infinity or the largest. */
static inline __attribute__((always_inline)) f16 f16_from_f32(f32 x, enum rounding mode)
{
	u32 negative = f32_bits(x) >> 31, magnitude = f32_bits(x) & 0x7fffffff;
	/* Below 2^-14 the last bit is 2^-24, which adding 0.5 puts last in an f32. */
	f32 rounded = bits_f32(magnitude) + 0.5f, back = rounded - 0.5f;
	bool up = back > bits_f32(magnitude), tiny = magnitude < 0x38800000;
	u32 tiny_kept = f32_bits(rounded) - 0x3f000000 - up;
	u32 clipped = magnitude < 0x47800000 ? magnitude : 0x477fffff;
	u32 rest = clipped & 0x1fff, kept = (clipped - 0x38000000) >> 13;
	u32 nearest = rest + (kept & 1) > 0x1000;
	u32 inexact = tiny ? back != bits_f32(magnitude) : rest != 0;
	u32 result;

	kept = tiny ? tiny_kept : kept;
	nearest = tiny ? up : nearest;
	result = kept + rounding_step(mode, nearest, inexact, negative);
	result = magnitude == 0x7f800000 ? 0x7c00 : result;
	return (f16)(magnitude > 0x7f800000 ? F16_NAN : result | negative << 15);
}

static inline __attribute__((always_inline)) bf16 bf16_from_f32(f32 x, enum rounding mode)
{
	u32 negative = f32_bits(x) >> 31, magnitude = f32_bits(x) & 0x7fffffff;
	u32 rest = magnitude & 0xffff, kept = magnitude >> 16;
	u32 nearest = rest + (kept & 1) > 0x8000;

	kept += rounding_step(mode, nearest, rest != 0, negative);
	return (bf16)(magnitude > 0x7f800000 ? BF16_NAN : kept | negative << 15);
}

/*
 * @x as f32, rounded to odd: whenever bits are lost the last one left is set,
 * so that rounding again, to fewer bits, is right in any direction.
 */
static inline f32 odd_f32(f64 x)
{
	f32 near = (f32)x;
	u32 bits = f32_bits(near), up = __builtin_fabs((f64)near) > __builtin_fabs(x);
	bool adjust = (f64)near < x || (f64)near > x;

	return bits_f32(adjust && !(bits & 1) ? bits + 1 - 2 * up : bits);
}

static inline __attribute__((always_inline)) f16 f16_from_f64(f64 x, enum rounding mode)
{
	return f16_from_f32(odd_f32(x), mode);
}

static inline __attribute__((always_inline)) bf16 bf16_from_f64(f64 x, enum rounding mode)
{
	return bf16_from_f32(odd_f32(x), mode);
}

/* a + b, rounded to odd. The error of the sum must not be below what the type holds. */
#define DEFINE(T, U) \
	static inline T odd_sum_##T(T a, T b) \
	{ \
		T sum = a + b, part = sum - a; \
		T error = (a - (sum - part)) + (b - part); \
		U bits = T##_bits(sum); \
		bool down = (error < 0) != (sum < 0); \
		bool adjust = (error < 0 || error > 0) && !(bits & 1); \
		return bits_##T(adjust ? bits + 1 - 2 * (U)down : bits); \
	}
DEFINE(f32, u32)
DEFINE(f64, u64)
#undef DEFINE

static inline f16 flush_f16(f16 x)
{
	return x & 0x7c00 ? x : x & 0x8000;
}

static inline f16 canonical_f16(f16 x)
{
	return (x & 0x7fff) > 0x7c00 ? F16_NAN : x;
}

static inline bf16 canonical_bf16(bf16 x)
{
	return (x & 0x7fff) > 0x7f80 ? BF16_NAN : x;
}

/* Into [0, 1]; NaN and what is negative become +0. */
static inline f16 saturate_f16(f16 x)
{
	f16 low = x > 0x7c00 ? 0 : x;

	return low > 0x3c00 ? 0x3c00 : low;
}

/* Negative numbers become +0. */
static inline f16 relu_f16(f16 x)
{
	return x & 0x8000 ? 0 : x;
}

static inline bf16 relu_bf16(bf16 x)
{
	return x & 0x8000 ? 0 : x;
}

/*
 * The result of an operation as f32, exact or rounded to odd or to enough bits
 * that rounding it again is harmless. Products of bf16 can be below what f32
 * holds; those of f16 cannot.
 */
#define DEFINE(T) \
	static inline f32 wide_add_##T(T a, T b) { return T##_to_f32(a) + T##_to_f32(b); } \
	static inline f32 wide_sub_##T(T a, T b) { return T##_to_f32(a) - T##_to_f32(b); }
DEFINE(f16)
DEFINE(bf16)
#undef DEFINE

static inline f32 wide_mul_f16(f16 a, f16 b)
{
	return f16_to_f32(a) * f16_to_f32(b);
}

static inline f32 wide_mul_bf16(bf16 a, bf16 b)
{
	return odd_f32((f64)bf16_to_f32(a) * (f64)bf16_to_f32(b));
}

static inline f32 wide_fma_f16(f16 a, f16 b, f16 c)
{
	return odd_sum_f32(wide_mul_f16(a, b), f16_to_f32(c));
}

static inline f32 wide_fma_bf16(bf16 a, bf16 b, bf16 c)
{
	return odd_f32(odd_sum_f64((f64)bf16_to_f32(a) * (f64)bf16_to_f32(b), bf16_to_f32(c)));
}

#define DEFINE(T) \
	static inline T op_add_##T(T a, T b) { return T##_from_f32(wide_add_##T(a, b), ROUND_RN); } \
	static inline T op_sub_##T(T a, T b) { return T##_from_f32(wide_sub_##T(a, b), ROUND_RN); } \
	static inline T op_mul_##T(T a, T b) { return T##_from_f32(wide_mul_##T(a, b), ROUND_RN); } \
	static inline T op_fma_##T(T a, T b, T c) \
	{ \
		return T##_from_f32(wide_fma_##T(a, b, c), ROUND_RN); \
	} \
	static inline T op_fma_relu_##T(T a, T b, T c) { return relu_##T(op_fma_##T(a, b, c)); } \
	static inline T op_abs_##T(T a) { return canonical_##T(a) & 0x7fff; } \
	static inline T op_neg_##T(T a) \
	{ \
		T x = canonical_##T(a); \
		return x == F16_NAN ? x : x ^ 0x8000; \
	} \
	static inline T op_min_##T(T a, T b) \
	{ \
		return T##_from_f32(op_min_f32(T##_to_f32(a), T##_to_f32(b)), ROUND_RZ); \
	} \
	static inline T op_max_##T(T a, T b) \
	{ \
		return T##_from_f32(op_max_f32(T##_to_f32(a), T##_to_f32(b)), ROUND_RZ); \
	} \
	static inline T op_min_nan_##T(T a, T b) \
	{ \
		return T##_from_f32(op_min_nan_f32(T##_to_f32(a), T##_to_f32(b)), ROUND_RZ); \
	} \
	static inline T op_max_nan_##T(T a, T b) \
	{ \
		return T##_from_f32(op_max_nan_f32(T##_to_f32(a), T##_to_f32(b)), ROUND_RZ); \
	} \
	static inline T op_min_xorsign_abs_##T(T a, T b) \
	{ \
		return T##_from_f32(op_min_xorsign_abs_f32(T##_to_f32(a), T##_to_f32(b)), ROUND_RZ); \
	} \
	static inline T op_max_xorsign_abs_##T(T a, T b) \
	{ \
		return T##_from_f32(op_max_xorsign_abs_f32(T##_to_f32(a), T##_to_f32(b)), ROUND_RZ); \
	} \
	static inline T op_min_nan_xorsign_abs_##T(T a, T b) \
	{ \
		return T##_from_f32(op_min_nan_xorsign_abs_f32(T##_to_f32(a), T##_to_f32(b)), ROUND_RZ); \
	} \
	static inline T op_max_nan_xorsign_abs_##T(T a, T b) \
	{ \
		return T##_from_f32(op_max_nan_xorsign_abs_f32(T##_to_f32(a), T##_to_f32(b)), ROUND_RZ); \
	}
DEFINE(f16)
DEFINE(bf16)
#undef DEFINE

/* fma in the other directions. Rounded down, what cancels out leaves -0. */
static inline f32 down_fma_bf16(bf16 a, bf16 b, bf16 c)
{
	f32 wide = wide_fma_bf16(a, b, c);
	u64 product = f64_bits((f64)bf16_to_f32(a) * (f64)bf16_to_f32(b));

	return f32_bits(wide) || !(product | c) ? wide : -0.0f;
}

#define DEFINE(mode, wide, MODE) \
	static inline bf16 op_fma_##mode##_bf16(bf16 a, bf16 b, bf16 c) \
	{ \
		return bf16_from_f32(wide##_fma_bf16(a, b, c), MODE); \
	} \
	static inline bf16 op_fma_##mode##_relu_bf16(bf16 a, bf16 b, bf16 c) \
	{ \
		return relu_bf16(op_fma_##mode##_bf16(a, b, c)); \
	}
DEFINE(rz, wide, ROUND_RZ)
DEFINE(rm, down, ROUND_RM)
DEFINE(rp, wide, ROUND_RP)
#undef DEFINE

/* As f16, or zero where @x is below the least normal number: before it is rounded. */
static inline f16 flushed_f16(f32 x)
{
	f16 near = f16_from_f32(x, ROUND_RN);

	return __builtin_fabsf(x) < 0x1p-14f ? near & 0x8000 : near;
}

/* .sat, .ftz and .ftz.sat of the f16 operations that have them. */
#define DEFINE(name, parameters, arguments, flushed) \
	static inline f16 op_##name##_sat_f16 parameters { return saturate_f16(op_##name##_f16 arguments); } \
	static inline f16 op_##name##_ftz_f16 parameters { return flushed_f16(wide_##name##_f16 flushed); } \
	static inline f16 op_##name##_ftz_sat_f16 parameters \
	{ \
		return saturate_f16(op_##name##_ftz_f16 arguments); \
	}
DEFINE(add, (f16 a, f16 b), (a, b), (flush_f16(a), flush_f16(b)))
DEFINE(sub, (f16 a, f16 b), (a, b), (flush_f16(a), flush_f16(b)))
DEFINE(mul, (f16 a, f16 b), (a, b), (flush_f16(a), flush_f16(b)))
DEFINE(fma, (f16 a, f16 b, f16 c), (a, b, c), (flush_f16(a), flush_f16(b), flush_f16(c)))
#undef DEFINE

/*
 * .oob: the NaN that tensor copies fill with, if the tensor map says so, means an
 * element out of bounds: the result is 0.
 */
#define DEFINE(name, T) \
	static inline T op_##name##_oob_##T(T a, T b, T c) \
	{ \
		return a == OOB_NAN || b == OOB_NAN ? 0 : op_##name##_##T(a, b, c); \
	}
DEFINE(fma, f16)
DEFINE(fma_relu, f16)
DEFINE(fma_sat, f16)
DEFINE(fma, bf16)
DEFINE(fma_relu, bf16)
DEFINE(fma_rz, bf16)
DEFINE(fma_rz_relu, bf16)
DEFINE(fma_rm, bf16)
DEFINE(fma_rm_relu, bf16)
DEFINE(fma_rp, bf16)
DEFINE(fma_rp_relu, bf16)
#undef DEFINE

static inline f16 op_fma_ftz_relu_f16(f16 a, f16 b, f16 c)
{
	return relu_f16(op_fma_ftz_f16(a, b, c));
}

static inline f16 op_abs_ftz_f16(f16 a)
{
	return op_abs_f16(flush_f16(a));
}

static inline f16 op_neg_ftz_f16(f16 a)
{
	return op_neg_f16(flush_f16(a));
}

#define DEFINE(name, mods) \
	static inline f16 op_##name##_ftz##mods##_f16(f16 a, f16 b) \
	{ \
		return op_##name##mods##_f16(flush_f16(a), flush_f16(b)); \
	}
DEFINE(min, )
DEFINE(max, )
DEFINE(min, _nan)
DEFINE(max, _nan)
DEFINE(min, _xorsign_abs)
DEFINE(max, _xorsign_abs)
DEFINE(min, _nan_xorsign_abs)
DEFINE(max, _nan_xorsign_abs)
#undef DEFINE

#endif
