/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reductions of bulk copies: element by element, each one an atomic operation. */
#include "asserts.h"
#include "bulk.h"
#include "op_half.h"
#include "opcode.h"

#define INTEGER(T)                                                                         \
	static T combine_##T(enum reduction reduction, T a, T b)                           \
	{                                                                                  \
		switch (reduction) {                                                       \
		case REDUCE_ADD: return (T)((uint64_t)a + (uint64_t)b);                    \
		case REDUCE_MIN: return a < b ? a : b;                                     \
		case REDUCE_MAX: return a > b ? a : b;                                     \
		case REDUCE_INC: return a >= b ? 0 : a + 1;                                \
		case REDUCE_DEC: return !a || a > b ? b : (T)((uint64_t)a - 1);                \
		case REDUCE_AND: return a & b;                                             \
		case REDUCE_OR: return a | b;                                              \
		case REDUCE_XOR: return a ^ b;                                             \
		}                                                                          \
		return a;                                                                  \
	}
INTEGER(u32)
INTEGER(s32)
INTEGER(u64)
INTEGER(s64)

#define FLOAT(T)                                                                           \
	static T combine_##T(enum reduction reduction, T a, T b)                           \
	{                                                                                  \
		return reduction == REDUCE_ADD ? op_add_##T(a, b) :                        \
		       reduction == REDUCE_MIN ? op_min_##T(a, b) : op_max_##T(a, b);      \
	}
FLOAT(f32)
FLOAT(f64)

/* In C f16 and bf16 are the same type. */
#define HALF(T)                                                                            \
	static uint16_t combine_##T(enum reduction reduction, uint16_t a, uint16_t b)      \
	{                                                                                  \
		return reduction == REDUCE_ADD ? op_add_##T(a, b) :                        \
		       reduction == REDUCE_MIN ? op_min_##T(a, b) : op_max_##T(a, b);      \
	}
HALF(f16)
HALF(bf16)

#define REDUCER(name, T, U)                                                                   \
	static void reduce_##name(enum reduction reduction, uint8_t *to,                   \
				  const uint8_t *from, uint32_t size)                      \
	{                                                                                  \
		for (uint32_t i = 0; i < size; i += sizeof(T)) {                           \
			U *at = (U *)(to + i), before, after;                              \
			T old, value;                                                      \
                                                                                           \
			memcpy(&value, from + i, sizeof(T));                               \
			before = __atomic_load_n(at, __ATOMIC_RELAXED);                    \
			do {                                                               \
				memcpy(&old, &before, sizeof(T));                          \
				old = combine_##name(reduction, old, value);               \
				memcpy(&after, &old, sizeof(T));                           \
			} while (!__atomic_compare_exchange_n(at, &before, after, false,   \
							      __ATOMIC_SEQ_CST,            \
							      __ATOMIC_RELAXED));          \
		}                                                                          \
	}
REDUCER(u32, u32, uint32_t)
REDUCER(s32, s32, uint32_t)
REDUCER(u64, u64, uint64_t)
REDUCER(s64, s64, uint64_t)
REDUCER(f32, f32, uint32_t)
REDUCER(f64, f64, uint64_t)
REDUCER(f16, uint16_t, uint16_t)
REDUCER(bf16, uint16_t, uint16_t)

void bulk_reduce(enum reduction reduction, unsigned type, uint8_t *to, const uint8_t *from,
		 uint32_t size)
{
	static void (*const reducers[])(enum reduction, uint8_t *, const uint8_t *, uint32_t) = {
		[TYPE_B32] = reduce_u32, [TYPE_U32] = reduce_u32, [TYPE_S32] = reduce_s32,
		[TYPE_B64] = reduce_u64, [TYPE_U64] = reduce_u64, [TYPE_S64] = reduce_s64,
		[TYPE_F16] = reduce_f16, [TYPE_BF16] = reduce_bf16, [TYPE_F32] = reduce_f32,
		[TYPE_F64] = reduce_f64,
	};

	ASSERT(type < sizeof(reducers) / sizeof(reducers[0]) && reducers[type]);
	ASSERT(size % type_size((uint8_t)type) == 0);
	reducers[type](reduction, to, from, size);
}
