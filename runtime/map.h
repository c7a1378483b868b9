/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A map from non-zero 64-bit keys (driver pointers) to 64-bit values, read by
 * any thread at any time without a lock. Those who change it take turns: whoever
 * owns it holds a lock for them.
 */
#ifndef RUNTIME_MAP_H
#define RUNTIME_MAP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct map {
	_Atomic(struct map_table *) table; /* owned, with those it has outgrown */
	_Atomic unsigned moves;            /* odd while entries change places */
	size_t count;
};

/* Enters @key, over what stood there. False when memory is exhausted. */
bool map_set(struct map *map, uint64_t key, uint64_t value);

/* Returns the value of @key, or 0. Takes no lock. */
uint64_t map_get(const struct map *map, uint64_t key);

/* Takes @key out; nothing happens when it is not there. */
void map_remove(struct map *map, uint64_t key);

/* Releases what @map owns and empties it. Nobody may read it meanwhile. */
void map_release(struct map *map);

#endif
