/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "block.h"

#include <search.h>

#include "asserts.h"
#include "lock.h"

/* Blocks do not overlap: those that do compare equal, which finds the block that contains
 * an address. */
static int compare(const void *a, const void *b)
{
	const struct block *left = a, *right = b;

	if (left->address + left->size <= right->address)
		return -1;
	return right->address + right->size <= left->address;
}

int block_new(struct device *device, uint64_t size, int kind, struct block **out,
	      struct err *e)
{
	struct block *block = calloc(1, sizeof(*block));

	*out = block;
	if (!block)
		return err_set(e, GPURUN_NO_MEMORY, "no memory to enter a block");
	object_retain(&device->object);
	block->device = device;
	block->size = size;
	block->kind = kind;
	return 0;
}

void block_free(struct block *block)
{
	ASSERT(!block || block->device);
	if (block && block->device)
		object_put(&block->device->object);
	free(block);
}

/* Counts @block in. Under the lock. */
static void count_in(const struct block *block)
{
	struct memory_count *count = &block->device->memory;

	ASSERT(lock_is_held(LOCK_RUNTIME) && block->address);
	count->blocks++;
	count->bytes += block->size;
	if (count->bytes > count->peak)
		count->peak = count->bytes;
}

static void count_out(const struct block *block)
{
	ASSERT(lock_is_held(LOCK_RUNTIME) && block->device->memory.blocks);
	ASSERT(block->device->memory.bytes >= block->size);
	block->device->memory.blocks--;
	block->device->memory.bytes -= block->size;
}

int block_enter(struct block *block, struct err *e)
{
	struct block **found;
	bool entered;

	runtime_lock();
	found = tsearch(block, &runtime.blocks, compare);
	entered = found && *found == block;
	if (entered)
		count_in(block);
	runtime_unlock();
	if (entered)
		return 0;
	if (found)
		return err_set(e, GPURUN_INVALID, "the memory overlaps another block");
	return err_set(e, GPURUN_NO_MEMORY, "no memory to enter a block");
}

/* Under the lock. */
static struct block *find_block_at(uint64_t address)
{
	struct block key = { .address = address, .size = 1 };
	struct block **found = address ? tfind(&key, &runtime.blocks, compare) : NULL;

	ASSERT(lock_is_held(LOCK_RUNTIME));
	return found ? *found : NULL;
}

static void remove_block(struct block *block)
{
	tdelete(block, &runtime.blocks, compare);
	count_out(block);
}

struct block *block_remove(uint64_t address, bool registered)
{
	struct block *block;

	runtime_lock();
	block = find_block_at(address);
	if (block && (block->address != address ||
		      (block->kind == BLOCK_REGISTERED) != registered))
		block = NULL;
	if (block)
		remove_block(block);
	runtime_unlock();
	return block;
}

bool block_set_lasting(uint64_t address)
{
	struct block *block;

	runtime_lock();
	block = find_block_at(address);
	if (block && (block->address != address || block->kind == BLOCK_REGISTERED))
		block = NULL;
	if (block)
		block->lasting = true;
	runtime_unlock();
	return block;
}

/* The root of a tsearch tree is a node, which begins with the pointer to its block. */
struct block *block_remove_any(void)
{
	struct block *block = NULL;

	runtime_lock();
	if (runtime.blocks) {
		block = *(struct block **)runtime.blocks;
		remove_block(block);
	}
	runtime_unlock();
	return block;
}

bool block_find(uint64_t address, struct block *copy)
{
	const struct block *block;

	runtime_lock();
	block = find_block_at(address);
	if (block) {
		*copy = *block;
		object_retain(&block->device->object);
	}
	runtime_unlock();
	return block;
}

struct each {
	void (*visit)(const struct block *block, void *data);
	void *data;
};

static void visit_node(const void *node, VISIT order, void *data)
{
	const struct each *each = data;

	if (order == postorder || order == leaf)
		each->visit(*(struct block *const *)node, each->data);
}

void block_each(void (*visit)(const struct block *block, void *data), void *data)
{
	struct each each = { visit, data };

	runtime_lock();
	twalk_r(runtime.blocks, visit_node, &each);
	runtime_unlock();
}
