/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "advice.h"

#include <stdlib.h>

#define PAGE 4096

/* A block whose pages have flags of their own. */
struct advised {
	uint64_t base, serial, count;
	struct advised *next;
	uint32_t flags[]; /* of @count pages */
};

static struct advised *advised; /* owned */

/* Frees what is kept of blocks that are freed. */
static void sweep(void)
{
	struct advised **link = &advised;
	struct block block;

	while (*link) {
		struct advised *entry = *link;

		if (arena_find(entry->base, &block) && block.serial == entry->serial) {
			link = &entry->next;
		} else {
			*link = entry->next;
			free(entry);
		}
	}
}

static struct advised *pages_of(const struct block *block)
{
	for (struct advised *entry = advised; entry; entry = entry->next)
		if (entry->base == block->base && entry->serial == block->serial)
			return entry;
	return NULL;
}

/* Gives each page of @block flags of its own, those of the block at first; NULL: no memory. */
static struct advised *divide(const struct block *block)
{
	const uint64_t count = (block->size + PAGE - 1) / PAGE;
	struct advised *entry;

	sweep();
	entry = malloc(sizeof(*entry) + count * sizeof(entry->flags[0]));
	if (!entry)
		return NULL;
	*entry = (struct advised){ block->base, block->serial, count, advised };
	for (uint64_t i = 0; i < count; i++)
		entry->flags[i] = block->flags;
	return advised = entry;
}

CUresult advice_change(const struct block *block, uint64_t address, uint64_t size,
		       uint32_t cleared, uint32_t set)
{
	const uint64_t first = (address - block->base) / PAGE;
	const uint64_t end = (address + size - block->base + PAGE - 1) / PAGE;
	struct advised *entry = pages_of(block);

	if (!entry && !first && end * PAGE >= block->size) {
		arena_note(block->base, block->owner, (block->flags & ~cleared) | set);
		return CUDA_SUCCESS;
	}
	if (!entry)
		entry = divide(block);
	if (!entry)
		return CUDA_ERROR_OUT_OF_MEMORY;
	for (uint64_t i = first; i < end; i++)
		entry->flags[i] = (entry->flags[i] & ~cleared) | set;
	return CUDA_SUCCESS;
}

uint32_t advice_of(const struct block *block, uint64_t address, uint64_t size)
{
	const uint64_t end = (address + size - block->base + PAGE - 1) / PAGE;
	const struct advised *entry = pages_of(block);
	uint32_t all = UINT32_MAX;

	if (!entry)
		return block->flags;
	for (uint64_t i = (address - block->base) / PAGE; i < end; i++)
		all &= entry->flags[i];
	return all;
}
