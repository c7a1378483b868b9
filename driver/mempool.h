/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Memory pools: accounts of what cuMemAllocAsync and its like have given out.
 * The memory itself is the arena's, as all of it; a pool keeps none back.
 *
 * The caller of everything here holds the driver's lock.
 */
#ifndef DRIVER_MEMPOOL_H
#define DRIVER_MEMPOOL_H

#include "arena.h"
#include "cuda_abi.h"

/* Tells the pool of @block, if it is of one, that it has been freed. */
void mempool_returned(const struct block *block);

/* The pool that a block of @owner came from, or NULL; it may be destroyed since. */
CUmemoryPool mempool_of(uint64_t owner);

/* The owner that other memory of the context has where a block of @owner was made. */
uint64_t mempool_context(uint64_t owner);

/* The context that ends, whose other memory has @owner, uses nothing of any pool any more. */
void mempool_clear(uint64_t owner);

#endif
