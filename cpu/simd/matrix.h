/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* For handlers of matrix instructions: all lanes participate, and hold fragments. */
#ifndef CPU_MATRIX_H
#define CPU_MATRIX_H

#include "access.h"
#include "config.h"
#include "mma.h"
#include "simd.h"
#include "vector.h"

/* Waits for every live lane; when some are missing, continues with another group. */
#define CONVERGE                                                                           \
	do {                                                                               \
		const struct op *next_ = NULL;                                             \
                                                                                           \
		if (unlikely(w->mask != w->live))                                          \
			next_ = warp_gather(w, ip, ~0u);                                   \
		if (unlikely(next_))                                                       \
			GOTO(next_);                                                       \
	} while (0)

/*
 * A handler whose work is a function of its own, which returns the next op, or
 * NULL after a fault: local arrays would prevent the tail call.
 */
#define WORK static __attribute__((noinline))
#define MATRIX_HANDLER(name)                                                               \
	HANDLE(name)                                                                       \
	{                                                                                  \
		const struct op *after;                                                    \
                                                                                           \
		CONVERGE;                                                                  \
		after = work_##name(w, ip);                                                \
		if (unlikely(!after))                                                      \
			HALT;                                                              \
		GOTO(after);                                                               \
	}

enum { MATRIX_ROWS = 8, ROW_WORDS = 4 };

/*
 * turn_T(): 8 rows of 16 bytes become columns of 8 elements; @evens: first the even rows, then the
 * odd ones. An element's index is its row and its place there; interleaving the elements of both
 * halves moves the highest bit of each index to its end, so that after three times the row is
 * there.
 */
#define TURN(T, low, high)                                                                 \
	ALWAYS void turn_##T(void *to, const void *from, bool evens)                       \
	{                                                                                  \
		typedef T row __attribute__((vector_size(16)));                            \
		row v[2][MATRIX_ROWS];                                                     \
                                                                                           \
		for (int r = 0; r < MATRIX_ROWS; r++)                                      \
			memcpy(&v[0][r], (const row *)from + (evens ? r % 4 * 2 + r / 4 : r), \
			       sizeof(row));                                               \
		for (int i = 0; i < 3; i++)                                                \
			for (int r = 0; r < MATRIX_ROWS / 2; r++) {                        \
				const row a = v[i % 2][r], b = v[i % 2][r + MATRIX_ROWS / 2]; \
                                                                                           \
				v[1 - i % 2][2 * r] = __builtin_shufflevector(a, b, low);  \
				v[1 - i % 2][2 * r + 1] = __builtin_shufflevector(a, b, high); \
			}                                                                  \
		for (int r = 0; r < MATRIX_ROWS; r++)                                      \
			memcpy((row *)to + r, &v[1][r], sizeof(row));                      \
	}
#define ORDER(...) __VA_ARGS__
TURN(uint8_t, ORDER(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23),
     ORDER(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31))
TURN(uint16_t, ORDER(0, 8, 1, 9, 2, 10, 3, 11), ORDER(4, 12, 5, 13, 6, 14, 7, 15))
TURN(uint32_t, ORDER(0, 4, 1, 5), ORDER(2, 6, 3, 7))
#undef ORDER
#undef TURN

/* What fragment @i holds in each lane, of 32 or 64 bits; @spread: where to put what is the same in
 * all. */
#define FRAGMENT_IN(name, T)                                                               \
	static inline const T *name(const struct warp *w, const struct op *ip, unsigned i, \
				    T spread[LANES])                                       \
	{                                                                                  \
		int32_t at = fragment_at(ip, i);                                           \
		T same;                                                                    \
                                                                                           \
		if (likely(!(at & FRAGMENT_SLOT)))                                         \
			return (const T *)(w->rows + at);                                  \
		memcpy(&same, w->rows + (at & ~FRAGMENT_SLOT), sizeof(same));              \
		EACH_LANE spread[l] = same;                                                \
		return spread;                                                             \
	}
FRAGMENT_IN(fragment_in, uint32_t)
FRAGMENT_IN(fragment_in64, uint64_t)
#undef FRAGMENT_IN

static inline uint32_t *fragment_out(const struct warp *w, const struct op *ip, unsigned i)
{
	return (uint32_t *)(w->rows + fragment_at(ip, i));
}

/*
 * Where @size bytes at generic @address are, NULL after a fault of @lane. @unit:
 * the alignment; @hit: offset of the op's entry in w->hits; @shared: it has to be
 * shared memory.
 */
static inline uint8_t *matrix_find(struct warp *w, const struct op *ip, int32_t hit,
				   uint64_t address, uint32_t size, uint32_t unit,
				   unsigned lane, bool shared, bool write)
{
	struct hit *last = (struct hit *)((char *)w->hits + hit);
	uint64_t offset = address - (uint64_t)w->shared;

	if (shared) {
		if (likely(offset < w->shared_size && size <= w->shared_size - offset &&
			   !(offset & (unit - 1))))
			return w->shared + offset;
		memory_shared_fault(w, ip, offset, unit, lane, write);
		return NULL;
	}
	if (likely(address - last->base < last->size &&
		   size <= last->size - (address - last->base) && !(address & (unit - 1))))
		return (uint8_t *)(address + last->distance);
	for (uint32_t done = 0; done < size; done += unit)
		if (!memory_reach(w, ip, last, address + done, unit, unit, lane, write))
			return NULL;
	return (uint8_t *)(address + last->distance);
}

/* The same, and informs the checker. */
static inline uint8_t *matrix_reach(struct warp *w, const struct op *ip, int32_t hit,
				    uint64_t address, uint32_t size, uint32_t unit,
				    unsigned lane, bool shared, bool write)
{
	uint8_t *p = matrix_find(w, ip, hit, address, size, unit, lane, shared, write);
	uint64_t at = shared ? address - (uint64_t)w->shared : address;

	for (uint32_t done = 0; unlikely(config.check & CHECK_KERNELS) && p && done < size;
	     done += unit)
		access_check_lane(w, ip, lane, at + done, unit, shared, write);
	return p;
}

/*
 * Copies @words of 4 bytes, a constant, from or to guest memory; races of kernels are not races of
 * ours.
 */
ALWAYS void load_words(uint32_t *to, const uint8_t *from, unsigned words)
{
	if (BULK)
		__builtin_memcpy(to, from, 4 * words);
	else
		for (unsigned i = 0; i < words; i++)
			to[i] = __atomic_load_n((const uint32_t *)from + i, __ATOMIC_RELAXED);
}

ALWAYS void store_words(uint8_t *to, const uint32_t *from, unsigned words)
{
	if (BULK)
		__builtin_memcpy(to, from, 4 * words);
	else
		for (unsigned i = 0; i < words; i++)
			__atomic_store_n((uint32_t *)to + i, from[i], __ATOMIC_RELAXED);
}

#endif
