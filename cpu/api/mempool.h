/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Memory pools: they count what cuMemAllocAsync and its like have allocated. The
 * memory itself is the arena's, as all memory; a pool caches none. It belongs to no
 * context: only a free ends it.
 *
 * The caller of everything here holds the driver's lock.
 */
#ifndef CPU_MEMPOOL_H
#define CPU_MEMPOOL_H

#include "arena.h"

/* Counts @block as freed in its pool, if it has one. */
void mempool_returned(const struct block *block);

#endif
