/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Memory pools: accounts of what cuMemAllocAsync and its like have given out.
 * The memory itself is the arena's, as all of it; a pool keeps none back. It is of
 * no context: only who frees it ends it.
 *
 * The caller of everything here holds the driver's lock.
 */
#ifndef CPU_MEMPOOL_H
#define CPU_MEMPOOL_H

#include "arena.h"

/* Tells the pool of @block, if it is of one, that it has been freed. */
void mempool_returned(const struct block *block);

#endif
