/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The flags of a block, of managed memory or of any. Host and device see the
 * same memory here, so advice is stored and changes nothing; where parts of an
 * allocation have advice of their own, advice.h has it. A flag of cuMemHostAlloc keeps its number.
 */
#ifndef CPU_BLOCK_FLAGS_H
#define CPU_BLOCK_FLAGS_H

#include "arena.h"

enum {
	BLOCK_READ_MOSTLY = 1 << 4,
	BLOCK_BY_DEVICE = 1 << 5,      /* advised: accessed by the device */
	BLOCK_BY_HOST = 1 << 6,
	BLOCK_SYNC_MEMOPS = 1 << 7,
	BLOCK_PREFERRED_DEVICE = 1 << 8,
	BLOCK_PREFERRED_HOST = 1 << 9,
	BLOCK_PREFETCHED_DEVICE = 1 << 10,
	BLOCK_PREFETCHED_HOST = 1 << 11,
};

/* Tells whether @block is memory of cuMemAllocManaged, or a managed variable. */
static inline bool managed_is(const struct block *block)
{
	return block->kind == BLOCK_MANAGED || block->kind == BLOCK_MANAGED_VARIABLE;
}

#endif
