/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The heap of malloc() and free() in kernels: blocks of the arena, within a limit
 * of their own. They outlive kernels and modules and go with the context.
 * Thread-safe.
 */
#ifndef DRIVER_HEAP_H
#define DRIVER_HEAP_H

#include <stdbool.h>
#include <stdint.h>

/* Allocates @size bytes, aligned to 256; 0 when there is no room, or for 0 bytes. */
uint64_t heap_alloc(uint64_t size);

/* Frees what heap_alloc() gave; false when it did not, or when it is free already. */
bool heap_free(uint64_t address);

/* How many bytes there may be (CU_LIMIT_MALLOC_HEAP_SIZE). */
void heap_set_limit(uint64_t limit);

/* All blocks are gone, with the context: counts from 0 again. */
void heap_forget(void);

#endif
