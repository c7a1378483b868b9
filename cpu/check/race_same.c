/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes of equal values, which are no race. */
#include <string.h>
#include <time.h>

#include "arena.h"
#include "segment.h"

/* The bytes that lane @lane stores, from the rows op->d and those in the next op. */
static void stored_bytes(const struct warp *w, const struct op *op, unsigned lane, unsigned size,
			 unsigned width, uint8_t out[16])
{
	int32_t rows[4] = { op->d };

	if (size > width) {
		rows[1] = op[1].d;
		rows[2] = op[1].a;
		rows[3] = op[1].b;
	}
	for (unsigned k = 0; k * width < size && k < 4; k++)
		memcpy(out + k * width, w->rows + rows[k] + lane * width, width);
}

/* Tells whether guest memory has those bytes; another worker may be writing them. */
static bool has_bytes(const uint8_t *memory, const uint8_t *bytes, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		if (__atomic_load_n(memory + i, __ATOMIC_RELAXED) != bytes[i])
			return false;
	return true;
}

/*
 * As has_bytes(), but another worker marks its write just before it makes it, so this waits for
 * a while. Only writes that differ use up that time; they have been reported by then.
 */
bool race_wait_for_bytes(const uint8_t *memory, const uint8_t *bytes, unsigned size,
			 struct race_hold hold)
{
	static _Atomic int patience = 200;
	const struct timespec moment = { .tv_nsec = 100000 };

	for (int waited = 0; !has_bytes(memory, bytes, size); waited++) {
		if (atomic_load(&patience) <= 0)
			return false;
		atomic_fetch_sub(&patience, 1);
		race_unhold(hold);
		nanosleep(&moment, NULL);
		race_rehold(hold);
		if (has_bytes(memory, bytes, size)) {
			atomic_fetch_add(&patience, waited + 1);
			return true;
		}
	}
	return true;
}

/* Tells whether the generic addresses can be read; else the access is about to fault. */
static bool is_memory(const struct warp *w, uint64_t at, unsigned size)
{
	struct block block;

	return at - (uint64_t)w->shared < w->shared_size ||
	       (memory_block(at, &block) && size <= block.size - (at - block.base));
}

bool race_writes_same(const struct warp *w, const struct op *ip,
		      const struct check_access *access, unsigned lane, uint32_t tag,
		      struct race_hold hold)
{
	unsigned width = access->width, other = tag & TAG_LANE;
	uint64_t at = access->at[lane];
	uint8_t bytes[16], others[16];

	if (!width || access->size > sizeof(bytes))
		return false;
	stored_bytes(w, ip + 1, lane, access->size, width, bytes);
	if (access->shared)
		at += (uint64_t)w->shared;
	else if (!is_memory(w, at, access->size))
		return true;
	if (tag >> TAG_SHIFT == w->race->tag >> TAG_SHIFT && other != lane &&
	    w->mask >> other & 1 && access->at[other] == access->at[lane]) {
		stored_bytes(w, ip + 1, other, access->size, width, others);
		return !memcmp(bytes, others, access->size);
	}
	return race_wait_for_bytes(arena_bytes(at), bytes, access->size, hold);
}
