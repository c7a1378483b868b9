/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Comparisons (setp, set), selections and classes. A comparison of floating
 * point numbers is ordered, so false for NaN, unless its name ends in u: PTX's
 * ne is not C's != (that is neu).
 */
#ifndef CPU_OP_COMPARE_H
#define CPU_OP_COMPARE_H

#include "op_half.h"

#define DEFINE(T) \
	static inline bool op_eq_##T(T a, T b) { return a == b; } \
	static inline bool op_ne_##T(T a, T b) { return a != b; }
DEFINE(b16)
DEFINE(b32)
DEFINE(b64)
#undef DEFINE

#define DEFINE(T) \
	static inline bool op_lt_##T(T a, T b) { return a < b; } \
	static inline bool op_le_##T(T a, T b) { return a <= b; } \
	static inline bool op_gt_##T(T a, T b) { return a > b; } \
	static inline bool op_ge_##T(T a, T b) { return a >= b; }
DEFINE(s16)
DEFINE(u16)
DEFINE(s32)
DEFINE(u32)
DEFINE(s64)
DEFINE(u64)
DEFINE(f32)
DEFINE(f64)
#undef DEFINE

#define DEFINE(T) \
	static inline bool op_eq_##T(T a, T b) { return a == b; } \
	static inline bool op_ne_##T(T a, T b) { return a < b || a > b; } \
	static inline bool op_equ_##T(T a, T b) { return !(a < b || a > b); } \
	static inline bool op_neu_##T(T a, T b) { return a != b; } \
	static inline bool op_ltu_##T(T a, T b) { return !(a >= b); } \
	static inline bool op_leu_##T(T a, T b) { return !(a > b); } \
	static inline bool op_gtu_##T(T a, T b) { return !(a <= b); } \
	static inline bool op_geu_##T(T a, T b) { return !(a < b); } \
	static inline bool op_num_##T(T a, T b) { return a == a && b == b; } \
	static inline bool op_nan_##T(T a, T b) { return a != a || b != b; }
DEFINE(f32)
DEFINE(f64)
#undef DEFINE

/* The comparisons of floating point numbers, each: X(name). */
#define FLOAT_COMPARISONS(X) \
	X(eq) X(ne) X(lt) X(le) X(gt) X(ge) X(equ) X(neu) X(ltu) X(leu) X(gtu) X(geu) X(num) X(nan)

#define DEFINE(name) \
	static inline bool op_##name##_f16(f16 a, f16 b) \
	{ \
		return op_##name##_f32(f16_to_f32(a), f16_to_f32(b)); \
	} \
	static inline bool op_##name##_ftz_f16(f16 a, f16 b) \
	{ \
		return op_##name##_f16(flush_f16(a), flush_f16(b)); \
	} \
	static inline bool op_##name##_bf16(bf16 a, bf16 b) \
	{ \
		return op_##name##_f32(bf16_to_f32(a), bf16_to_f32(b)); \
	}
FLOAT_COMPARISONS(DEFINE)
#undef DEFINE

/* @c not negative: -0 counts as zero, NaN as negative. */
#define DEFINE(T) \
	static inline T op_slct_##T##_s32(T a, T b, s32 c) { return c >= 0 ? a : b; } \
	static inline T op_slct_##T##_f32(T a, T b, f32 c) { return c >= 0 ? a : b; }
DEFINE(b16)
DEFINE(b32)
DEFINE(b64)
DEFINE(f32)
DEFINE(f64)
#undef DEFINE

/* testp; normal includes zeros, as on hardware. */
#define DEFINE(T, infinity, least) \
	static inline bool op_testp_finite_##T(T a) { return op_abs_##T(a) < infinity; } \
	static inline bool op_testp_infinite_##T(T a) { return op_abs_##T(a) == infinity; } \
	static inline bool op_testp_number_##T(T a) { return a == a; } \
	static inline bool op_testp_notanumber_##T(T a) { return a != a; } \
	static inline bool op_testp_subnormal_##T(T a) \
	{ \
		return a != 0 && op_abs_##T(a) < least; \
	} \
	static inline bool op_testp_normal_##T(T a) \
	{ \
		return a == 0 || (op_abs_##T(a) >= least && op_abs_##T(a) < infinity); \
	}
DEFINE(f32, __builtin_inff(), 0x1p-126f)
DEFINE(f64, __builtin_inf(), 0x1p-1022)
#undef DEFINE

#endif
