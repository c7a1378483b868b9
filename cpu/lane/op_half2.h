/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * f16x2 and bf16x2: the operations of op_half.h and op_approx.h on both halves
 * of a word.
 */
#ifndef CPU_OP_HALF2_H
#define CPU_OP_HALF2_H

#include "op_approx.h"
#include "op_half.h"

#define PAIR1(name, T) \
	static inline u32 op_##name##_##T##x2(u32 a) \
	{ \
		return pair_b32(op_##name##_##T((T)a), op_##name##_##T((T)(a >> 16))); \
	}
#define PAIR2(name, T) \
	static inline u32 op_##name##_##T##x2(u32 a, u32 b) \
	{ \
		return pair_b32(op_##name##_##T((T)a, (T)b), \
				op_##name##_##T((T)(a >> 16), (T)(b >> 16))); \
	}
#define PAIR3(name, T) \
	static inline u32 op_##name##_##T##x2(u32 a, u32 b, u32 c) \
	{ \
		return pair_b32(op_##name##_##T((T)a, (T)b, (T)c), \
				op_##name##_##T((T)(a >> 16), (T)(b >> 16), (T)(c >> 16))); \
	}
#define DEFINE(T) \
	PAIR2(add, T) PAIR2(sub, T) PAIR2(mul, T) PAIR3(fma, T) PAIR3(fma_relu, T) \
	PAIR3(fma_oob, T) PAIR3(fma_relu_oob, T) \
	PAIR1(abs, T) PAIR1(neg, T) PAIR1(tanh_approx, T) \
	PAIR2(min, T) PAIR2(min_nan, T) PAIR2(min_xorsign_abs, T) PAIR2(min_nan_xorsign_abs, T) \
	PAIR2(max, T) PAIR2(max_nan, T) PAIR2(max_xorsign_abs, T) PAIR2(max_nan_xorsign_abs, T)
DEFINE(f16)
DEFINE(bf16)
#undef DEFINE

PAIR2(add_sat, f16)
PAIR2(sub_sat, f16)
PAIR2(mul_sat, f16)
PAIR3(fma_sat, f16)
PAIR2(add_ftz, f16)
PAIR2(sub_ftz, f16)
PAIR2(mul_ftz, f16)
PAIR3(fma_ftz, f16)
PAIR2(add_ftz_sat, f16)
PAIR2(sub_ftz_sat, f16)
PAIR2(mul_ftz_sat, f16)
PAIR3(fma_ftz_sat, f16)
PAIR3(fma_ftz_relu, f16)
PAIR3(fma_sat_oob, f16)
#define DEFINE(mode) \
	PAIR3(fma_##mode, bf16) PAIR3(fma_##mode##_relu, bf16) \
	PAIR3(fma_##mode##_oob, bf16) PAIR3(fma_##mode##_relu_oob, bf16)
DEFINE(rz)
DEFINE(rm)
DEFINE(rp)
#undef DEFINE
PAIR1(abs_ftz, f16)
PAIR1(neg_ftz, f16)
PAIR1(ex2_approx, f16)
PAIR1(ex2_approx_ftz, bf16)
PAIR2(min_ftz, f16)
PAIR2(max_ftz, f16)
PAIR2(min_ftz_nan, f16)
PAIR2(max_ftz_nan, f16)
PAIR2(min_ftz_xorsign_abs, f16)
PAIR2(max_ftz_xorsign_abs, f16)
PAIR2(min_ftz_nan_xorsign_abs, f16)
PAIR2(max_ftz_nan_xorsign_abs, f16)

#undef PAIR1
#undef PAIR2
#undef PAIR3

#endif
