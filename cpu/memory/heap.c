/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "heap.h"

#include "arena.h"
#include "asserts.h"

/*
 * Of a heap of 8 MiB an H100 gives 90,670 blocks of 1 to 8 bytes, 1,888 of 4096, 472 of 16384 and
 * 78 of 100000 (a kernel of one thread that calls malloc() until it fails; driver of CUDA 13):
 * sizes up to 64 take as much as 64, and all some more than they are. Here it is 90,200, 1,880, 471
 * and 77. So a heap of many small blocks, each of which takes hundreds of bytes of the host, is
 * bounded.
 */
enum { LEAST = 64, SHARE = 12, HEAD = 24 };

void heap_init(struct heap *heap, uint64_t owner)
{
	atomic_store(&heap->used, 0);
	atomic_store(&heap->most, UINT64_C(8) << 20);
	heap->owner = owner;
}

static uint64_t charged_size(uint64_t size)
{
	size = size < LEAST ? LEAST : size;
	return size + size / SHARE + HEAD;
}

uint64_t heap_alloc(struct heap *heap, uint64_t size)
{
	uint64_t limit = heap ? atomic_load(&heap->most) : 0, before, address;

	if (!size || size > limit || charged_size(size) > limit)
		return 0; /* the second keeps the third from overflowing */
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
	ASSERT(atomic_load(&heap->used) >= charged_size(size));
	atomic_fetch_sub(&heap->used, charged_size(size));
	return true;
}
