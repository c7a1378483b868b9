/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "heap.h"

#include "arena.h"

enum { UNIT = 16 }; /* sizes are rounded up to it */

void heap_init(struct heap *heap, uint64_t owner)
{
	atomic_store(&heap->used, 0);
	atomic_store(&heap->most, UINT64_C(8) << 20);
	heap->owner = owner;
}

static uint64_t charged_size(uint64_t size)
{
	return (size + UNIT - 1) / UNIT * UNIT;
}

uint64_t heap_alloc(struct heap *heap, uint64_t size)
{
	uint64_t limit = heap ? atomic_load(&heap->most) : 0, before, address;

	if (!size || size > limit || charged_size(size) > limit)
		return 0;
	before = atomic_load(&heap->used);
	do {
		if (before > limit - charged_size(size))
			return 0;
	} while (!atomic_compare_exchange_weak(&heap->used, &before, before + charged_size(size)));
	if (!arena_alloc(size, 256, BLOCK_HEAP, &address, NULL)) {
		arena_note(address, heap->owner, 0);
		return address;
	}
	atomic_fetch_sub(&heap->used, charged_size(size));
	return 0;
}

bool heap_free(struct heap *heap, uint64_t address)
{
	uint64_t size;

	if (!heap || !arena_free_of(address, BLOCK_HEAP, heap->owner, &size))
		return false;
	atomic_fetch_sub(&heap->used, charged_size(size));
	return true;
}
