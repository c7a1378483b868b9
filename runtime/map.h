/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A map from non-zero 64-bit keys (driver pointers) to 64-bit values. Not
 * thread-safe: whoever owns it holds a lock.
 */
#ifndef RUNTIME_MAP_H
#define RUNTIME_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct map {
	struct map_entry {
		uint64_t key; /* 0: free */
		uint64_t value;
	} *entries;      /* owned */
	size_t capacity; /* a power of two, or 0 */
	size_t count;
};

/* Enters @key, over what stood there. False when memory is exhausted. */
bool map_set(struct map *map, uint64_t key, uint64_t value);

/* Returns the value of @key, or 0. */
uint64_t map_get(const struct map *map, uint64_t key);

/* Takes @key out; nothing happens when it is not there. */
void map_remove(struct map *map, uint64_t key);

/* Releases what @map owns and empties it. */
void map_release(struct map *map);

#endif
