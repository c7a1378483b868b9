/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Free spans of numbered granules. Each search begins where the last one ended,
 * so that what was released is reused as late as possible.
 */
#ifndef CPU_EXTENTS_H
#define CPU_EXTENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct extents {
	struct extent {
		uint64_t start, count;
	} *items;         /* owned; sorted, never touching */
	size_t count, capacity;
	size_t allocated; /* spans that are allocated now */
	uint64_t rover;   /* where the next search begins */
	uint64_t origin;  /* added to a granule's number before it is aligned */
};

/* Makes granules 0 .. @count - 1 free; false when memory is exhausted. */
bool extents_init(struct extents *extents, uint64_t count, uint64_t origin);

/* Allocates @count granules whose first is a multiple of @align, a power of two; false when there
 * are none, or memory is exhausted. */
bool extents_allocate(struct extents *extents, uint64_t count, uint64_t align, uint64_t *start);

/* Releases a whole allocated span. Needs no memory. */
void extents_release(struct extents *extents, uint64_t start, uint64_t count);

#endif
