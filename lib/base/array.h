/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Arrays that grow by one. Their capacity is not stored: it is the smallest
 * power of two that holds the count.
 */
#ifndef LIB_ARRAY_H
#define LIB_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "asserts.h"

/*
 * Makes room in *@items (a pointer to an array of @size-byte elements, NULL at
 * first) for one more than its @count elements, and zeroes it. Returns it, or
 * NULL, with the array unchanged, when memory is exhausted. An array that was not made
 * here, or that shrank without becoming empty, must not be passed.
 */
static inline void *array_grow(void *items, size_t count, size_t size)
{
	void *array, *slot;

	memcpy(&array, items, sizeof(array));
	ASSERT(size && (array || !count));
	if (!(count & (count - 1))) {
		size_t capacity = count ? count * 2 : 1;

		array = reallocarray(array, capacity, size);
		if (!array)
			return NULL;
		memcpy(items, &array, sizeof(array));
	}
	slot = (char *)array + count * size;
	memset(slot, 0, size);
	return slot;
}

#endif
