/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Blocks: the memory that the program holds, each entered from its allocation,
 * registration or adoption until it is freed. They are counted per device.
 */
#ifndef RUNTIME_BLOCK_H
#define RUNTIME_BLOCK_H

#include "device.h"

enum { BLOCK_REGISTERED = GPURUN_MEMORY_MANAGED + 1 };

struct block {
	uint64_t address, size;
	uint64_t before;       /* bytes of the driver's block that lie before it: alignment */
	int kind;              /* enum gpurun_memory_kind, or BLOCK_REGISTERED */
	bool adopted;          /* somebody else allocated it */
	bool lasting;          /* meant to live until the end: no leak */
	struct device *device; /* owned reference */

	/* Of a block that is kept, under its cache's lock: */
	uint64_t fence;                         /* it is free once that one is passed */
	struct block *newer, *older;            /* of all, by when they were freed */
	struct block *newer_alike, *older_alike; /* of its bucket */
};

/* Makes a block that is not entered. */
int block_new(struct device *device, uint64_t size, int kind, struct block **out,
	      struct err *e);

/* Takes NULL. Releases the struct, not the memory. */
void block_free(struct block *block);
DEFINE_CLEANUP(free_block, struct block *, block_free)

/* Enters @block, which the table then owns. GPURUN_INVALID when it overlaps another. */
int block_enter(struct block *block, struct err *e);

/* Takes the block that starts at @address out; the caller's then, or NULL. Registered
 * memory and our own are told apart by @registered. */
struct block *block_take(uint64_t address, bool registered);

/* Marks the block that starts at @address as lasting; false when there is none. */
bool block_set_lasting(uint64_t address);

/* Takes any block out; NULL when none is left. */
struct block *block_take_any(void);

/* Finds the block that holds @address: a copy of it, with a reference to the device for
 * put_object. */
bool block_find(uint64_t address, struct block *copy);

/* Calls @visit for every block, in the order of addresses, under the runtime's lock. */
void block_each(void (*visit)(const struct block *block, void *data), void *data);

#endif
