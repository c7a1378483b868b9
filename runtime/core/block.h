/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Blocks: the memory that the program has, each in the table from its allocation,
 * registration or adoption until it is freed. They are counted per device.
 */
#ifndef RUNTIME_BLOCK_H
#define RUNTIME_BLOCK_H

#include "device.h"

enum { BLOCK_REGISTERED = GPURUN_MEMORY_MANAGED + 1 };

struct block {
	uint64_t address, size;
	uint64_t before;       /* bytes of the driver's block before it: alignment */
	int kind;              /* enum gpurun_memory_kind, or BLOCK_REGISTERED */
	bool adopted;          /* not allocated by this library */
	bool lasting;          /* lives until the end: no leak */
	struct device *device; /* owned reference */

	/* Of a block that is kept, under its cache's lock: */
	uint64_t fence;                         /* it is free when that one is passed */
	struct block *newer, *older;            /* of all, by the time of their free */
	struct block *newer_alike, *older_alike; /* of its bucket */
};

/* Creates a block that is not in the table. */
int block_new(struct device *device, uint64_t size, int kind, struct block **out,
	      struct err *e);

/* NULL: nothing. Releases the struct, not the memory. */
void block_free(struct block *block);
DEFINE_CLEANUP(free_block, struct block *, block_free)

/* Adds @block to the table, which then owns it. GPURUN_INVALID when it overlaps another. */
int block_enter(struct block *block, struct err *e);

/* Removes and returns the block that starts at @address, owned by the caller, or NULL.
 * @registered: of registered memory, else of our own. */
struct block *block_remove(uint64_t address, bool registered);

/* Marks the block that starts at @address as lasting; false when there is none. */
bool block_set_lasting(uint64_t address);

/* Removes and returns any block; NULL when none is left. */
struct block *block_remove_any(void);

/* Finds the block that holds @address: a copy of it, with a reference to the device for
 * put_object. */
bool block_find(uint64_t address, struct block *copy);

/* Calls @visit for every block, in the order of addresses, under the runtime's lock. */
void block_each(void (*visit)(const struct block *block, void *data), void *data);

#endif
