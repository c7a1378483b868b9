/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The cells of check=race: who wrote and who read each word of memory last, and their locks.
 * Cells have tags, which name segments (segment.h) and say how they accessed the word.
 */
#ifndef CPU_RACE_CELLS_H
#define CPU_RACE_CELLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "asserts.h"
#include "err.h"

/* Who accessed a word: the segment, and in its low bits these and the lane. */
enum {
	TAG_LANE = 31,
	TAG_STRONG = 32,  /* by an atomic, volatile or ordered access */
	TAG_SEVERAL = 64, /* other lanes of the same segment as well */
	TAG_SHIFT = 7,
	TAG_FLAGS = TAG_STRONG | TAG_SEVERAL,
	PAGE_SHIFT = 12, /* of race_cells.bytes_used */
};

static_assert((TAG_LANE | TAG_FLAGS) == (1 << TAG_SHIFT) - 1, "a segment is above its lane");

/* Of two readers one is kept, in effect at random. */
#define TAG_STAYS(tag, own) ((uint32_t)((tag) << 20) < (uint32_t)((own) << 20))

/* Protects the cells of some stripes of memory while a thread reads and changes them. */
struct race_lock {
	_Alignas(64) uint32_t held;
};

/* Waits a moment for a lock. */
void race_wait(void);

static inline void race_lock_acquire(struct race_lock *lock)
{
	while (__builtin_expect(__atomic_exchange_n(&lock->held, 1, __ATOMIC_ACQUIRE) != 0, 0))
		race_wait();
}

static inline void race_lock_release(struct race_lock *lock)
{
	ASSERT(__atomic_load_n(&lock->held, __ATOMIC_RELAXED));
	__atomic_store_n(&lock->held, 0, __ATOMIC_RELEASE);
}

/* The locks of a few bytes; the second one where they are in two stripes, else NULL. */
struct race_hold {
	struct race_lock *locks[2];
};

static inline void race_unhold(struct race_hold hold)
{
	if (!hold.locks[0])
		return;
	race_lock_release(hold.locks[0]);
	if (hold.locks[1])
		race_lock_release(hold.locks[1]);
}

/* Acquires again what race_unhold() released. */
static inline void race_rehold(struct race_hold hold)
{
	if (!hold.locks[0])
		return;
	race_lock_acquire(hold.locks[0]);
	if (hold.locks[1])
		race_lock_acquire(hold.locks[1]);
}

/* The words, or bytes, of one region of memory. */
struct race_cells {
	uint32_t *writes, *reads;           /* of each 4 bytes: the last tag */
	uint32_t *byte_writes, *byte_reads; /* of each byte: accesses of 1 and 2 bytes */
	uint8_t *bytes_used;                /* of each page: it has tags of bytes */
	uint64_t *released;                 /* of each 4 bytes: the newest fence before a write */
	struct race_lock *locks;            /* NULL: one worker alone has these cells */
};

enum { STRIPE_SHIFT = 14, STRIPES = 256 };

/* Whether the page of byte @offset has tags of bytes. The first worker that has one sets it. */
static inline bool race_has_bytes(const struct race_cells *cells, uint64_t offset)
{
	return __atomic_load_n(&cells->bytes_used[offset >> PAGE_SHIFT], __ATOMIC_RELAXED);
}

static inline void race_note_bytes(const struct race_cells *cells, uint64_t offset)
{
	if (!race_has_bytes(cells, offset))
		__atomic_store_n(&cells->bytes_used[offset >> PAGE_SHIFT], 1, __ATOMIC_RELAXED);
}

/* Locks the cells of @size bytes at @offset, at most a stripe, until race_unhold(). */
static inline struct race_hold race_hold(const struct race_cells *cells, uint64_t offset,
					 uint64_t size)
{
	const uint64_t a = (offset >> STRIPE_SHIFT) % STRIPES;
	const uint64_t b = ((offset + size - 1) >> STRIPE_SHIFT) % STRIPES;
	struct race_hold hold = { { NULL, NULL } };

	ASSERT(size && size <= 1u << STRIPE_SHIFT);
	if (!cells->locks)
		return hold;
	hold.locks[0] = &cells->locks[a < b ? a : b];
	race_lock_acquire(hold.locks[0]);
	if (__builtin_expect(a == b, 1))
		return hold;
	hold.locks[1] = &cells->locks[a < b ? b : a];
	race_lock_acquire(hold.locks[1]);
	return hold;
}

/* Cells, which all workers share, are loaded and stored by these. */
#define cell_load(cell)         __atomic_load_n(cell, __ATOMIC_ACQUIRE)
#define cell_store(cell, value) __atomic_store_n(cell, value, __ATOMIC_RELEASE)

/* The cells of device memory; without any before race_cells_reserve(). */
extern struct race_cells race_global;

/* Maps those for @size bytes; called one time. GPURUN_NO_MEMORY. */
int race_cells_reserve(uint64_t size, struct err *e);

/* Maps @cells for @size bytes, all zero; returns their memory, for race_cells_unmap(), or NULL. */
void *race_cells_map(struct race_cells *cells, uint64_t size);
void race_cells_unmap(void *memory, uint64_t size);

/* The number of the next segment: all tags are of smaller ones. 1: no cell has a tag. */
extern _Atomic uint32_t race_next;

/* A tag not above those of the segments that begin from now on. */
uint32_t race_next_tag(void);

/* Clears the tags of all device memory. No kernel runs. */
void race_forget_all(void);

/* Clears the tags of a new block at @address: all earlier accesses there come before. */
void race_forget(uint64_t address, uint64_t size);

#endif
