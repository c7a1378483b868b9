/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* For handlers of matrix instructions: all lanes participate, and hold fragments. */
#ifndef CPU_MATRIX_H
#define CPU_MATRIX_H

#include "access.h"
#include "config.h"
#include "mma.h"
#include "simd.h"

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

/* 8 rows of 8 halves become its columns. */
static inline void transpose(uint32_t to[LANES], const uint32_t from[LANES])
{
	uint16_t in[2 * LANES], out[2 * LANES];

	memcpy(in, from, sizeof(in));
	for (int r = 0; r < MATRIX_ROWS; r++)
		for (int c = 0; c < MATRIX_ROWS; c++)
			out[c * MATRIX_ROWS + r] = in[r * MATRIX_ROWS + c];
	memcpy(to, out, sizeof(out));
}

/* What fragment @i holds in each lane; @spread: where to put what is the same in all. */
static inline const uint32_t *fragment_in(const struct warp *w, const struct op *ip, unsigned i,
					  uint32_t spread[LANES])
{
	int32_t at = fragment_at(ip, i);
	uint32_t same;

	if (likely(!(at & FRAGMENT_SLOT)))
		return (const uint32_t *)(w->rows + at);
	memcpy(&same, w->rows + (at & ~FRAGMENT_SLOT), sizeof(same));
	EACH_LANE spread[l] = same;
	return spread;
}

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

/* Copies @words of 4 bytes from or to guest memory; races of kernels are not races of ours. */
static inline void load_words(uint32_t *to, const uint8_t *from, unsigned words)
{
	for (unsigned i = 0; i < words; i++)
		to[i] = __atomic_load_n((const uint32_t *)from + i, __ATOMIC_RELAXED);
}

static inline void store_words(uint8_t *to, const uint32_t *from, unsigned words)
{
	for (unsigned i = 0; i < words; i++)
		__atomic_store_n((uint32_t *)to + i, from[i], __ATOMIC_RELAXED);
}

#endif
