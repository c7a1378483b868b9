/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * How handlers are written. Compiled once per instruction set: SIMD_SUFFIX is
 * part of every name. A handler ends in NEXT, GOTO or HALT, which are tail
 * calls where the compiler guarantees them; where it does not (sanitizers, little
 * optimisation) the handler returns and a loop continues at warp->pc.
 */
#ifndef CPU_SIMD_H
#define CPU_SIMD_H

#include "asserts.h"
#include "machine.h"
#include "op_types.h"
#include "warp.h"

#define SIMD_PASTE_(a, b) a##_##b
#define SIMD_PASTE(a, b) SIMD_PASTE_(a, b)
#define SIMD_NAME(name) SIMD_PASTE(name, SIMD_SUFFIX)

#define HANDLE(name)                                                                       \
	op_fn SIMD_NAME(handle_##name);                                                    \
	void SIMD_NAME(handle_##name)(struct warp * w, const struct op *ip)

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

#ifdef __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||                 \
	__has_feature(memory_sanitizer)
#define SIMD_SANITIZED
#endif
#if __has_feature(thread_sanitizer)
#define SIMD_TSAN
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#define SIMD_SANITIZED
#endif
#ifdef __SANITIZE_THREAD__
#define SIMD_SANITIZED
#define SIMD_TSAN
#endif

/* gcc makes few of them tail calls with -O1, as which builds with asserts are. */
#if defined(SIMD_SANITIZED) || !defined(__OPTIMIZE__) ||                                   \
	(ASSERTS && !defined(__clang__))
#define GOTO(target)                                                                       \
	do {                                                                               \
		w->pc = (target);                                                          \
		return;                                                                    \
	} while (0)
#elif defined(__clang__)
#define GOTO(target)                                                                       \
	do {                                                                               \
		const struct op *to_ = (target);                                           \
		__attribute__((musttail)) return to_->fn(w, to_);                          \
	} while (0)
#else
#define GOTO(target)                                                                       \
	do {                                                                               \
		const struct op *to_ = (target);                                           \
		return to_->fn(w, to_);                                                    \
	} while (0)
#endif
/* Continues in @fn, which is written like a handler. */
#if defined(__clang__) && !defined(SIMD_SANITIZED) && defined(__OPTIMIZE__)
#define TAIL(fn) __attribute__((musttail)) return fn(w, ip)
#else
#define TAIL(fn) return fn(w, ip)
#endif
#define HALT                                                                               \
	do {                                                                               \
		w->running = false;                                                        \
		return;                                                                    \
	} while (0)
#define NEXT GOTO(ip + 1)

#ifdef __clang__
#define EACH_LANE                                                                          \
	_Pragma("clang loop vectorize(assume_safety)") for (int l = 0; l < LANES; l++)
#else
#define EACH_LANE _Pragma("GCC ivdep") for (int l = 0; l < LANES; l++)
#endif

/* The active lanes, one after the other. */
#define EACH_ACTIVE FOR_BITS(l, w->mask)

#define ROW(T, field) ((T *)__builtin_assume_aligned(w->rows + ip->field, 32))
#define SLOT(T, field) (*(const T *)(w->rows + ip->field))
#define PRED(field) (*(uint32_t *)(w->rows + ip->field))

/* Writes a slot: a value with zeros above it, so that it can be read as any wider one. */
#define PUT(T, field, expr)                                                                \
	do {                                                                               \
		const T v_ = (expr);                                                       \
		uint64_t slot_ = 0;                                                        \
                                                                                           \
		__builtin_memcpy(&slot_, &v_, sizeof(v_));                                 \
		*(uint64_t *)(w->rows + ip->field) = slot_;                                \
	} while (0)

/* Each lane's bit, in elements as wide as those that it selects. */
static const uint32_t lane_bits32[LANES] __attribute__((aligned(64), unused)) = {
	1u << 0,  1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,
	1u << 8,  1u << 9,  1u << 10, 1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15,
	1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21, 1u << 22, 1u << 23,
	1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31,
};
static const uint64_t lane_bits64[LANES] __attribute__((aligned(64), unused)) = {
	1u << 0,  1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,
	1u << 8,  1u << 9,  1u << 10, 1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15,
	1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21, 1u << 22, 1u << 23,
	1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31,
};

/* The running lanes as a row of 0 and -1, computed when a narrow element first needs it. */
static inline const int16_t *lane_masks16(struct warp *w)
{
	if (w->mask16_of != w->mask) {
		EACH_LANE w->mask16[l] = (int16_t)(w->mask & lane_bits32[l] ? -1 : 0);
		w->mask16_of = w->mask;
	}
	return w->mask16;
}

#define LANE_MASKS(T)                                                                      \
	__builtin_choose_expr(sizeof(T) == 8, lane_bits64,                                 \
			      __builtin_choose_expr(sizeof(T) == 4, lane_bits32,           \
						    lane_masks16(w)))

/* d[l] = expr for every lane that runs; others keep their value. */
#define BLEND(T, d, expr)                                                                  \
	do {                                                                               \
		if (likely(w->full)) {                                                     \
			EACH_LANE d[l] = (expr);                                           \
		} else {                                                                   \
			__auto_type m = LANE_MASKS(T);                                     \
			const __typeof__(m[0] | m[0]) bits =                               \
				(__typeof__(m[0] | m[0]))(sizeof(T) < 4 ? ~0u : w->mask);  \
			EACH_LANE                                                          \
			{                                                                  \
				T v_ = (expr);                                             \
				d[l] = m[l] & bits ? v_ : d[l];                            \
			}                                                                  \
		}                                                                          \
	} while (0)

#define SET_MODE_ANY ((void)0)
#define SET_MODE_RN fp_set(w, FP_RN)
#define SET_MODE_RM fp_set(w, FP_RM)
#define SET_MODE_RP fp_set(w, FP_RP)
#define SET_MODE_RZ fp_set(w, FP_RZ)
#define SET_MODE_RN_FTZ fp_set(w, FP_RN_FTZ)
#define SET_MODE_RM_FTZ fp_set(w, FP_RM_FTZ)
#define SET_MODE_RP_FTZ fp_set(w, FP_RP_FTZ)
#define SET_MODE_RZ_FTZ fp_set(w, FP_RZ_FTZ)

static inline void fp_set(struct warp *w, uint32_t mode)
{
	if (unlikely(w->mode != mode)) {
		w->mode = mode;
		fp_write(mode);
	}
}

__extension__ typedef unsigned __int128 u128;

/* Replaces @old by @new at @at; returns the previous value. */
static inline u128 cas16(u128 *at, u128 old, u128 new)
{
	return __sync_val_compare_and_swap(at, old, new);
}

#define COLLECT(t)                                                                         \
	__builtin_choose_expr(sizeof((t)[0]) == 8, collect64, collect32)((void *)(t))

/* Writes a predicate for the lanes that run. */
#define SET_PRED(field, bits) (PRED(field) = (PRED(field) & ~w->mask) | ((bits)&w->mask))

#endif
