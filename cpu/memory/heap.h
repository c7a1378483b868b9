/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The heap of malloc() and free() in kernels, one of each context: blocks of the
 * arena, within a limit. They outlive kernels and modules and end with the context.
 * Thread-safe except heap_init().
 */
#ifndef CPU_HEAP_H
#define CPU_HEAP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct heap {
	_Atomic uint64_t used; /* bytes, as a GPU counts them */
	_Atomic uint64_t most; /* limit in bytes (CU_LIMIT_MALLOC_HEAP_SIZE) */
	uint64_t owner;        /* of its blocks: the same as of the context's memory */
};

/* Makes @heap empty, with the initial limit. */
void heap_init(struct heap *heap, uint64_t owner);

/* Allocates @size bytes, aligned to 256; 0 when there is no room, for 0 bytes, or without a heap
 * (NULL). */
uint64_t heap_alloc(struct heap *heap, uint64_t size);

/* Frees what heap_alloc() returned; false when it did not, or when it is freed already. */
bool heap_free(struct heap *heap, uint64_t address);

#endif
