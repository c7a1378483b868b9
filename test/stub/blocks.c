/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Blocks of memory by address: a tree of the live ones, and names of freed ones. */
#include "stub.h"

#include <search.h>
#include <stdlib.h>

enum { ALIGNMENT = 256 };

static void *tree;                 /* of live blocks, which do not overlap */
static struct thing *freed[1024];  /* the last one freed of those that share a place */

/* Blocks that overlap compare equal, which finds the one that holds an address. */
static int compare(const void *a, const void *b)
{
	const struct thing *left = a, *right = b;

	if (left->data + left->size <= right->data)
		return -1;
	return right->data + right->size <= left->data;
}

char *block_memory(size_t size)
{
	void *memory;

	if (posix_memalign(&memory, 2 * ALIGNMENT, size + ALIGNMENT))
		abort();
	return (char *)memory + ALIGNMENT;
}

void block_free(char *memory)
{
	free(memory - ALIGNMENT);
}

static struct thing **place_of(CUdeviceptr address)
{
	uint64_t mixed = address * 0x9e3779b97f4a7c15u;

	return &freed[mixed >> 54];
}

/* Tells whether @block went with a context that was given up: a leak, but a harmless
 * one. */
static bool is_gone(struct thing *block)
{
	return block->life != thing_context(block)->life;
}

bool block_enter(struct thing *block)
{
	struct thing **found;

	while ((found = tsearch(block, &tree, compare)) && *found != block && is_gone(*found))
		tdelete(block, &tree, compare);
	return found && *found == block;
}

void block_leave(struct thing *block)
{
	tdelete(block, &tree, compare);
	*place_of((uintptr_t)block->data) = block;
}

struct thing *thing_at(CUdeviceptr address)
{
	struct thing key = { .data = (char *)(uintptr_t)address, .size = 1 };
	struct thing **found = tfind(&key, &tree, compare);

	return found ? *found : NULL;
}

struct thing *thing_freed_at(CUdeviceptr address)
{
	struct thing *block = *place_of(address);

	return block && block->kind == MEMORY && address == (uintptr_t)block->data ? block :
										     NULL;
}
