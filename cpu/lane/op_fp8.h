/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * fp8, as bits: e4m3 (bias 7, no infinity, NaN 0x7f, largest 0x7e = 448) and
 * e5m2 (bias 15, the upper half of an f16, largest 0x7b = 57344). MXCSR has to
 * round to nearest and to flush nothing.
 */
#ifndef CPU_OP_FP8_H
#define CPU_OP_FP8_H

#include "op_half.h"

enum { FP8_NAN = 0x7f };

/* To nearest even; what is beyond @largest becomes that. @fraction bits, constants all. */
static inline __attribute__((always_inline)) u8 fp8_from_f32(f32 x, u32 fraction, u32 bias,
							     u32 largest)
{
	u32 sign = f32_bits(x) >> 31, magnitude = f32_bits(x) & 0x7fffffff;
	u32 shift = 23 - fraction, least = (128 - bias) << 23; /* the least normal number */
	u32 even = magnitude >> shift & 1;
	u32 normal = ((magnitude + even + (1u << (shift - 1)) - 1) >> shift) -
		     ((127 - bias) << fraction);
	/* Adding the number whose last bit is that of subnormals rounds there. */
	u32 magic = (128 - bias + shift) << 23;
	u32 tiny = f32_bits(bits_f32(magnitude) + bits_f32(magic)) - magic;
	u32 kept = magnitude < least ? tiny : normal;

	kept = kept > largest ? largest : kept;
	return (u8)(magnitude > 0x7f800000 ? FP8_NAN : kept | sign << 7);
}

static inline u8 e4m3_from_f32(f32 x)
{
	return fp8_from_f32(x, 3, 7, 0x7e);
}

static inline u8 e5m2_from_f32(f32 x)
{
	return fp8_from_f32(x, 2, 15, 0x7b);
}

/* Exact. */
static inline f16 f16_from_e4m3(u8 x)
{
	u32 magnitude = x & 0x7f, sign = (u32)(x & 0x80) << 8;
	/* bits of an f16 that is too small by 2^8, the difference of the biases */
	f32 value = f16_to_f32((f16)(magnitude << 7)) * 256;
	f16 number = f16_from_f32(value, ROUND_RZ);

	return (f16)(magnitude == FP8_NAN ? F16_NAN : number | sign);
}

static inline f16 f16_from_e5m2(u8 x)
{
	return canonical_f16((f16)(x << 8));
}

static inline u8 relu_fp8(u8 x)
{
	return x & 0x80 ? 0 : x;
}

#define DEFINE(T) \
	static inline u16 op_cvt_rn_satfinite_##T##x2_f32(f32 a, f32 b) \
	{ \
		return (u16)(T##_from_f32(a) << 8 | T##_from_f32(b)); \
	} \
	static inline u16 op_cvt_rn_relu_satfinite_##T##x2_f32(f32 a, f32 b) \
	{ \
		return (u16)(relu_fp8(T##_from_f32(a)) << 8 | relu_fp8(T##_from_f32(b))); \
	} \
	static inline u16 op_cvt_rn_satfinite_##T##x2_f16x2(u32 a) \
	{ \
		return op_cvt_rn_satfinite_##T##x2_f32(f16_to_f32((f16)(a >> 16)), \
						       f16_to_f32((f16)a)); \
	} \
	static inline u16 op_cvt_rn_relu_satfinite_##T##x2_f16x2(u32 a) \
	{ \
		return op_cvt_rn_relu_satfinite_##T##x2_f32(f16_to_f32((f16)(a >> 16)), \
							    f16_to_f32((f16)a)); \
	} \
	static inline u32 op_cvt_rn_f16x2_##T##x2(u16 a) \
	{ \
		return pair_b32(f16_from_##T((u8)a), f16_from_##T((u8)(a >> 8))); \
	} \
	static inline u32 op_cvt_rn_relu_f16x2_##T##x2(u16 a) \
	{ \
		return pair_b32(relu_f16(f16_from_##T((u8)a)), \
				relu_f16(f16_from_##T((u8)(a >> 8)))); \
	}
DEFINE(e4m3)
DEFINE(e5m2)
#undef DEFINE

#endif
