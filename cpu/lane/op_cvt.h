/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Conversions, op_cvt_<modifiers>_<to>_<from>.
 *
 * Between integers: truncation or extension; sat clamps. From floating point
 * to integers: always clamped; NaN becomes 0, except from f64 and to 64 bits, where it
 * becomes the top bit alone. From integers to f32 and f64, and from f64 to f32,
 * MXCSR rounds; to f16 and bf16, the function in the direction of its name.
 */
#ifndef CPU_OP_CVT_H
#define CPU_OP_CVT_H

#include "op_half.h"

/* Integer types: X(T, least value, greatest value). */
#define SIGNED_TYPES(X, ...) \
	X(s8, INT8_MIN, INT8_MAX, __VA_ARGS__) X(s16, INT16_MIN, INT16_MAX, __VA_ARGS__) \
	X(s32, INT32_MIN, INT32_MAX, __VA_ARGS__) X(s64, INT64_MIN, INT64_MAX, __VA_ARGS__)
#define UNSIGNED_TYPES(X, ...) \
	X(u8, 0, UINT8_MAX, __VA_ARGS__) X(u16, 0, UINT16_MAX, __VA_ARGS__) \
	X(u32, 0, UINT32_MAX, __VA_ARGS__) X(u64, 0, UINT64_MAX, __VA_ARGS__)

/* Integers to integers. */

static inline s64 clamp_s64(s64 x, s64 low, s64 high)
{
	s64 above = x > low ? x : low;

	return above < high ? above : high;
}

static inline u64 clamp_u64(u64 x, u64 high)
{
	return x < high ? x : high;
}

#define DEFINE(T, least, greatest, S) \
	static inline T op_cvt_##T##_##S(S a) { return (T)a; } \
	static inline T op_cvt_sat_##T##_##S(S a) \
	{ \
		const u64 top = greatest; \
		return (T)clamp_s64(a, least, top > INT64_MAX ? INT64_MAX : (s64)top); \
	}
#define FROM_SIGNED(S) SIGNED_TYPES(DEFINE, S) UNSIGNED_TYPES(DEFINE, S)
FROM_SIGNED(s8)
FROM_SIGNED(s16)
FROM_SIGNED(s32)
FROM_SIGNED(s64)
#undef DEFINE
#undef FROM_SIGNED

#define DEFINE(T, least, greatest, S) \
	static inline T op_cvt_##T##_##S(S a) { return (T)a; } \
	static inline T op_cvt_sat_##T##_##S(S a) \
	{ \
		return (T)clamp_u64(a, greatest); \
	}
#define FROM_UNSIGNED(S) SIGNED_TYPES(DEFINE, S) UNSIGNED_TYPES(DEFINE, S)
FROM_UNSIGNED(u8)
FROM_UNSIGNED(u16)
FROM_UNSIGNED(u32)
FROM_UNSIGNED(u64)
#undef DEFINE
#undef FROM_UNSIGNED

/*
 * To an integral value of the same type: adding and subtracting @fine, above
 * which there are no fractions, rounds to nearest; the rest corrects that.
 */
#define DEFINE(T, abs, copysign, fine) \
	static inline T round_rni_##T(T x) \
	{ \
		T near = abs(x) + fine - fine; \
		return abs(x) < fine ? copysign(near, x) : x; \
	} \
	static inline T round_rzi_##T(T x) \
	{ \
		T near = abs(x) + fine - fine, cut = near > abs(x) ? near - 1 : near; \
		return abs(x) < fine ? copysign(cut, x) : x; \
	} \
	static inline T round_rmi_##T(T x) \
	{ \
		T near = round_rni_##T(x); \
		return near > x ? near - 1 : near; \
	} \
	static inline T round_rpi_##T(T x) \
	{ \
		T near = round_rni_##T(x); \
		return near < x ? copysign(near + 1, x) : near; \
	}
DEFINE(f32, __builtin_fabsf, __builtin_copysignf, 0x1p23f)
DEFINE(f64, __builtin_fabs, __builtin_copysign, 0x1p52)
#undef DEFINE

/* An integral @x to T; @nan is for NaN. 1.5 * 2^52 + x has x in its low bits. */
#define DEFINE(T, least, greatest, ...) \
	static inline T T##_from_f64(f64 x, T nan) \
	{ \
		f64 low = x > (f64)(least) ? x : (f64)(least); \
		f64 both = low < (f64)(greatest) ? low : (f64)(greatest); \
		T value = (T)(u32)f64_bits(both + 0x1.8p52); \
		return x == x ? value : nan; \
	}
DEFINE(s8, INT8_MIN, INT8_MAX)
DEFINE(u8, 0, UINT8_MAX)
DEFINE(s16, INT16_MIN, INT16_MAX)
DEFINE(u16, 0, UINT16_MAX)
DEFINE(s32, INT32_MIN, INT32_MAX)
DEFINE(u32, 0, UINT32_MAX)
#undef DEFINE

static inline s64 s64_from_f64(f64 x, s64 nan)
{
	bool over = x >= 0x1p63, inside = x > -0x1p63 && x < 0x1p63;
	s64 value = inside ? (s64)x : INT64_MIN;

	value = over ? INT64_MAX : value;
	return x == x ? value : nan;
}

static inline u64 u64_from_f64(f64 x, u64 nan)
{
	bool over = x >= 0x1p64, big = x >= 0x1p63;
	f64 inside = x > 0 && !over ? x : 0;
	u64 value = (u64)(s64)(inside - (big && !over ? 0x1p63 : 0)) ^ (u64)big << 63;

	value = over ? UINT64_MAX : value;
	return x == x ? value : nan;
}

/* What NaN of an f32, f16 or bf16, and of an f64, is as a T. */
#define DEFINE(T, narrow, wide, mode) \
	static inline T op_cvt_##mode##_##T##_f32(f32 a) \
	{ \
		return T##_from_f64(round_##mode##_f32(a), (T)narrow); \
	} \
	static inline T op_cvt_##mode##_##T##_f64(f64 a) \
	{ \
		return T##_from_f64(round_##mode##_f64(a), (T)wide); \
	} \
	static inline T op_cvt_##mode##_##T##_f16(f16 a) \
	{ \
		return op_cvt_##mode##_##T##_f32(f16_to_f32(a)); \
	} \
	static inline T op_cvt_##mode##_##T##_bf16(bf16 a) \
	{ \
		return op_cvt_##mode##_##T##_f32(bf16_to_f32(a)); \
	}
#define DIRECTIONS(T, narrow, wide) \
	DEFINE(T, narrow, wide, rni) DEFINE(T, narrow, wide, rzi) DEFINE(T, narrow, wide, rmi) \
	DEFINE(T, narrow, wide, rpi)
DIRECTIONS(s8, 0, INT8_MIN)
DIRECTIONS(u8, 0, 0x80)
DIRECTIONS(s16, 0, INT16_MIN)
DIRECTIONS(u16, 0, 0x8000)
DIRECTIONS(s32, 0, INT32_MIN)
DIRECTIONS(u32, 0, 0x80000000)
DIRECTIONS(s64, INT64_MIN, INT64_MIN)
DIRECTIONS(u64, 0x8000000000000000, 0x8000000000000000)
#undef DIRECTIONS
#undef DEFINE

/* @x as f64. Halved, since only signed integers can be converted; right in every
 * direction of rounding, also for the sign of zero. */
static inline f64 f64_from_u32(u32 x)
{
	return (f64)(s32)(x >> 1) * 2 + (f64)(s32)(x & 1);
}

/* Likewise; a cast makes -0 of 0 where clang rounds it down. */
static inline f64 f64_from_u64(u64 x)
{
	return f64_from_u32((u32)(x >> 32)) * 0x1p32 + f64_from_u32((u32)x);
}

/* @x as f64, rounded to odd where more than 48 bits: enough for f16 and bf16. */
static inline f64 odd_f64_u64(u64 x)
{
	u64 high = x >> 32 | ((x & 0xffffffff) != 0);
	bool big = x >> 48;

	return f64_from_u32((u32)(big ? high : x >> 16)) * (big ? 0x1p32 : 0x1p16) +
	       f64_from_u32(big ? 0 : (u32)(x & 0xffff));
}

static inline f64 odd_f64_s64(s64 x)
{
	f64 magnitude = odd_f64_u64(x < 0 ? 0 - (u64)x : (u64)x);

	return x < 0 ? -magnitude : magnitude;
}

#define odd_f64_u32(x) f64_from_u32(x)
#define odd_f64_narrow(x) ((f64)(s32)(x))

/* Integers to floating point: T, to f64 exactly or at least to odd, to f32. */
#define HALF(T, odd, H, mode, MODE) \
	static inline H op_cvt_##mode##_##H##_##T(T a) { return H##_from_f64(odd(a), MODE); }
#define HALVES(T, odd, H) \
	HALF(T, odd, H, rn, ROUND_RN) HALF(T, odd, H, rz, ROUND_RZ) HALF(T, odd, H, rm, ROUND_RM) \
	HALF(T, odd, H, rp, ROUND_RP)
#define SAT_F16(T, mode) \
	static inline f16 op_cvt_##mode##_sat_f16_##T(T a) \
	{ \
		return saturate_f16(op_cvt_##mode##_f16_##T(a)); \
	}
#define DEFINE(T, odd, to_f64, to_f32) \
	static inline f32 op_cvt_f32_##T(T a) { return to_f32; } \
	static inline f32 op_cvt_sat_f32_##T(T a) { return saturate_f32(to_f32); } \
	static inline f64 op_cvt_f64_##T(T a) { return to_f64; } \
	static inline f64 op_cvt_sat_f64_##T(T a) { return saturate_f64(to_f64); } \
	HALVES(T, odd, f16) HALVES(T, odd, bf16) \
	SAT_F16(T, rn) SAT_F16(T, rz) SAT_F16(T, rm) SAT_F16(T, rp)
DEFINE(s8, odd_f64_narrow, (f64)a, (f32)a)
DEFINE(u8, odd_f64_narrow, (f64)a, (f32)a)
DEFINE(s16, odd_f64_narrow, (f64)a, (f32)a)
DEFINE(u16, odd_f64_narrow, (f64)a, (f32)a)
DEFINE(s32, odd_f64_narrow, (f64)a, (f32)a)
DEFINE(u32, odd_f64_u32, f64_from_u32(a), (f32)f64_from_u32(a))
DEFINE(s64, odd_f64_s64, (f64)a, (f32)a)
DEFINE(u64, odd_f64_u64, f64_from_u64(a), (f32)a)
#undef DEFINE
#undef SAT_F16

/* Floating point to floating point. */

static inline f32 op_cvt_f32_f32(f32 a) { return a; } /* a move, of NaNs as well */
static inline f32 op_cvt_ftz_f32_f32(f32 a) { return canonical_f32(flush_f32(a)); }
static inline f32 op_cvt_sat_f32_f32(f32 a) { return saturate_f32(a); }
static inline f64 op_cvt_f64_f64(f64 a) { return a; }
static inline f64 op_cvt_sat_f64_f64(f64 a) { return saturate_f64(a); }
static inline f16 op_cvt_f16_f16(f16 a) { return canonical_f16(a); }
static inline f16 op_cvt_sat_f16_f16(f16 a) { return saturate_f16(a); }
static inline bf16 op_cvt_bf16_bf16(bf16 a) { return canonical_bf16(a); }
static inline f64 op_cvt_f64_f32(f32 a) { return (f64)a; }
static inline f64 op_cvt_sat_f64_f32(f32 a) { return saturate_f64((f64)a); }
static inline f32 op_cvt_f32_f64(f64 a) { return (f32)a; }
static inline f32 op_cvt_sat_f32_f64(f64 a) { return saturate_f32((f32)a); }
static inline f32 op_cvt_f32_f16(f16 a) { return canonical_f32(f16_to_f32(a)); }
static inline f32 op_cvt_sat_f32_f16(f16 a) { return saturate_f32(f16_to_f32(a)); }
static inline f64 op_cvt_f64_f16(f16 a) { return (f64)f16_to_f32(a); }
static inline f64 op_cvt_sat_f64_f16(f16 a) { return saturate_f64((f64)f16_to_f32(a)); }
static inline f32 op_cvt_f32_bf16(bf16 a) { return bf16_to_f32(a); }
static inline f32 op_cvt_ftz_f32_bf16(bf16 a) { return flush_f32(bf16_to_f32(a)); }
static inline f64 op_cvt_f64_bf16(bf16 a) { return (f64)bf16_to_f32(a); }

#define DEFINE(mode) \
	static inline f32 op_cvt_##mode##_f32_f32(f32 a) \
	{ \
		return canonical_f32(round_##mode##_f32(a)); \
	} \
	static inline f64 op_cvt_##mode##_f64_f64(f64 a) { return round_##mode##_f64(a); } \
	static inline f16 op_cvt_##mode##_f16_f16(f16 a) \
	{ \
		return f16_from_f32(round_##mode##_f32(f16_to_f32(a)), ROUND_RN); \
	} \
	static inline bf16 op_cvt_##mode##_bf16_bf16(bf16 a) \
	{ \
		return bf16_from_f32(round_##mode##_f32(bf16_to_f32(a)), ROUND_RN); \
	} \
	static inline f32 op_cvt_##mode##_sat_f32_f32(f32 a) \
	{ \
		return saturate_f32(round_##mode##_f32(a)); \
	} \
	static inline f64 op_cvt_##mode##_sat_f64_f64(f64 a) \
	{ \
		return saturate_f64(round_##mode##_f64(a)); \
	} \
	static inline f16 op_cvt_##mode##_sat_f16_f16(f16 a) \
	{ \
		return saturate_f16(op_cvt_##mode##_f16_f16(a)); \
	}
DEFINE(rni)
DEFINE(rzi)
DEFINE(rmi)
DEFINE(rpi)
#undef DEFINE

HALVES(f64, (f64), f16)
HALVES(f64, (f64), bf16)
HALVES(f16, (f64)f16_to_f32, bf16)
HALVES(bf16, (f64)bf16_to_f32, f16)
#undef HALVES
#undef HALF

/* From f32, the most common, without f64 in between; and the forms made of it. */
#define DEFINE(mode, MODE) \
	static inline f16 op_cvt_##mode##_f16_f32(f32 a) { return f16_from_f32(a, MODE); } \
	static inline bf16 op_cvt_##mode##_bf16_f32(f32 a) { return bf16_from_f32(a, MODE); } \
	static inline bf16 op_cvt_##mode##_ftz_bf16_f32(f32 a) \
	{ \
		return bf16_from_f32(flush_f32(a), MODE); \
	} \
	static inline f16 op_cvt_##mode##_sat_f16_f32(f32 a) \
	{ \
		return saturate_f16(f16_from_f32(a, MODE)); \
	} \
	static inline f16 op_cvt_##mode##_sat_f16_f64(f64 a) \
	{ \
		return saturate_f16(f16_from_f64(a, MODE)); \
	}
DEFINE(rn, ROUND_RN)
DEFINE(rz, ROUND_RZ)
DEFINE(rm, ROUND_RM)
DEFINE(rp, ROUND_RP)
#undef DEFINE

/* satfinite: infinities and what overflows become the largest number. */

static inline f16 finite_f16(f16 x)
{
	return (x & 0x7fff) == 0x7c00 ? x - 1 : x;
}

static inline bf16 finite_bf16(bf16 x)
{
	return (x & 0x7fff) == 0x7f80 ? x - 1 : x;
}

#define DEFINE(H, mode) \
	static inline H op_cvt_##mode##_relu_##H##_f32(f32 a) \
	{ \
		return relu_##H(op_cvt_##mode##_##H##_f32(a)); \
	} \
	static inline H op_cvt_##mode##_satfinite_##H##_f32(f32 a) \
	{ \
		return finite_##H(op_cvt_##mode##_##H##_f32(a)); \
	} \
	static inline H op_cvt_##mode##_relu_satfinite_##H##_f32(f32 a) \
	{ \
		return relu_##H(op_cvt_##mode##_satfinite_##H##_f32(a)); \
	} \
	/* Two at once: @a is the upper half. */ \
	static inline u32 op_cvt_##mode##_##H##x2_f32(f32 a, f32 b) \
	{ \
		return (u32)op_cvt_##mode##_##H##_f32(a) << 16 | op_cvt_##mode##_##H##_f32(b); \
	} \
	static inline u32 op_cvt_##mode##_relu_##H##x2_f32(f32 a, f32 b) \
	{ \
		return (u32)op_cvt_##mode##_relu_##H##_f32(a) << 16 | \
			op_cvt_##mode##_relu_##H##_f32(b); \
	} \
	static inline u32 op_cvt_##mode##_satfinite_##H##x2_f32(f32 a, f32 b) \
	{ \
		return (u32)op_cvt_##mode##_satfinite_##H##_f32(a) << 16 | \
			op_cvt_##mode##_satfinite_##H##_f32(b); \
	} \
	static inline u32 op_cvt_##mode##_relu_satfinite_##H##x2_f32(f32 a, f32 b) \
	{ \
		return (u32)op_cvt_##mode##_relu_satfinite_##H##_f32(a) << 16 | \
			op_cvt_##mode##_relu_satfinite_##H##_f32(b); \
	}
DEFINE(f16, rn)
DEFINE(f16, rz)
DEFINE(bf16, rn)
DEFINE(bf16, rz)
#undef DEFINE

/*
 * tf32: an f32 with 10 bits of fraction. rna rounds ties away from zero; what it
 * does to NaN, cutting bits off, and with satfinite, is what an H100 does.
 */
static inline __attribute__((always_inline)) b32 tf32_from_f32(f32 a, u32 half, u32 even)
{
	u32 bits = f32_bits(a), rounded = bits + half + (bits >> 13 & even);

	return a == a ? rounded & ~0x1fffu : 0x7fffe000;
}

static inline b32 op_cvt_rn_tf32_f32(f32 a) { return tf32_from_f32(a, 0xfff, 1); }
static inline b32 op_cvt_rz_tf32_f32(f32 a) { return tf32_from_f32(a, 0, 0); }

static inline b32 op_cvt_rna_tf32_f32(f32 a)
{
	u32 bits = f32_bits(a);

	return (__builtin_fabsf(a) < __builtin_inff() ? bits + 0x1000 : bits) & ~0x1fffu;
}

static inline b32 op_cvt_rna_satfinite_tf32_f32(f32 a)
{
	b32 rounded = op_cvt_rna_tf32_f32(a);

	return (rounded & 0x7f800000) == 0x7f800000 ? rounded - 0x2000 : rounded;
}

static inline b32 op_cvt_rn_relu_tf32_f32(f32 a)
{
	b32 rounded = op_cvt_rn_tf32_f32(a);

	return rounded >> 31 ? 0 : rounded;
}

static inline b32 op_cvt_rz_relu_tf32_f32(f32 a)
{
	b32 rounded = op_cvt_rz_tf32_f32(a);

	return rounded >> 31 ? 0 : rounded;
}

/*
 * cvt.pack: @a above @b, each clamped to so many bits; those of fewer than 16
 * push what @c has upwards.
 */
#define DEFINE(T, bits, low, high) \
	static inline b32 packed_##T(s32 a, s32 b) \
	{ \
		u32 mask = (1u << bits) - 1; \
		return ((u32)clamp_s64(a, low, high) & mask) << bits | \
		       ((u32)clamp_s64(b, low, high) & mask); \
	}
DEFINE(u16, 16, 0, UINT16_MAX)
DEFINE(s16, 16, INT16_MIN, INT16_MAX)
DEFINE(u8, 8, 0, UINT8_MAX)
DEFINE(s8, 8, INT8_MIN, INT8_MAX)
DEFINE(u4, 4, 0, 15)
DEFINE(s4, 4, -8, 7)
DEFINE(u2, 2, 0, 3)
DEFINE(s2, 2, -2, 1)
#undef DEFINE

static inline b32 op_cvt_pack_sat_u16_s32(s32 a, s32 b) { return packed_u16(a, b); }
static inline b32 op_cvt_pack_sat_s16_s32(s32 a, s32 b) { return packed_s16(a, b); }

#define DEFINE(T, bits) \
	static inline b32 op_cvt_pack_sat_##T##_s32_b32(s32 a, s32 b, b32 c) \
	{ \
		return packed_##T(a, b) | c << 2 * bits; \
	}
DEFINE(u8, 8)
DEFINE(s8, 8)
DEFINE(u4, 4)
DEFINE(s4, 4)
DEFINE(u2, 2)
DEFINE(s2, 2)
#undef DEFINE

#endif
