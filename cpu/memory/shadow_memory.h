/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Shadow memory: what the checker knows of the arena's range; committed as
 * lazily. A byte of it says whether a byte of the range is written. Memory
 * outside of the range (registered memory) has no shadow and is not checked.
 * Everything here does nothing unless config.check asks for it.
 */
#ifndef CPU_SHADOW_MEMORY_H
#define CPU_SHADOW_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"

struct shadow {
	uint64_t base, size;  /* the range; size 0: nothing is checked */
	uint8_t *written;     /* of each byte: 1 when it is written; NULL without check=init */
};

extern struct shadow shadow;

/* Reserves the shadow of @size bytes at @base; called one time. GPURUN_NO_MEMORY. */
int shadow_reserve(uint64_t base, uint64_t size, struct err *e);

/* The shadow of the bytes from @address on; NULL when there is none. */
static inline uint8_t *shadow_written(uint64_t address)
{
	if (!shadow.written || address - shadow.base >= shadow.size)
		return NULL;
	return shadow.written + (address - shadow.base);
}

/* Marks all of @size bytes at @address, in one block, as written, or as not written. */
void shadow_set_written(uint64_t address, uint64_t size, bool written);

/* @size bytes were copied: copies the shadow of @from to that of @to. */
void shadow_copy(uint64_t to, uint64_t from, uint64_t size);

#endif
