/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "heap.h"

#include <stdatomic.h>

#include "arena.h"

enum { UNIT = 16 }; /* what a block takes is counted in */

static _Atomic uint64_t used, most = UINT64_C(8) << 20;

static uint64_t taken_by(uint64_t size)
{
	return (size + UNIT - 1) / UNIT * UNIT;
}

uint64_t heap_alloc(uint64_t size)
{
	uint64_t limit = atomic_load(&most), before = atomic_load(&used), address;

	if (!size || size > limit)
		return 0;
	do {
		if (taken_by(size) > limit || before > limit - taken_by(size))
			return 0;
	} while (!atomic_compare_exchange_weak(&used, &before, before + taken_by(size)));
	if (!arena_alloc(size, 256, BLOCK_HEAP, &address, NULL))
		return address;
	atomic_fetch_sub(&used, taken_by(size));
	return 0;
}

bool heap_free(uint64_t address)
{
	struct block block;

	if (!arena_find(address, &block) || block.kind != BLOCK_HEAP || block.base != address)
		return false;
	if (arena_free(address, NULL))
		return false;
	atomic_fetch_sub(&used, taken_by(block.size));
	return true;
}

void heap_set_limit(uint64_t limit)
{
	atomic_store(&most, limit);
}

void heap_forget(void)
{
	atomic_store(&used, 0);
}
