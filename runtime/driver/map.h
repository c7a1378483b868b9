/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A map from non-zero 64-bit keys (driver pointers) to 64-bit values, read by
 * any thread at any time without a lock. Changes are serialised by a lock of the
 * map's owner.
 */
#ifndef RUNTIME_MAP_H
#define RUNTIME_MAP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct map {
	_Atomic(struct map_table *) table; /* owned, with the smaller ones before it */
	_Atomic unsigned moves;            /* odd while entries move */
	size_t count;
};

/* Sets the value of @key. False when memory is exhausted. */
bool map_set(struct map *map, uint64_t key, uint64_t value);

/* Returns the value of @key, or 0. Needs no lock. */
uint64_t map_get(const struct map *map, uint64_t key);

/* Removes @key; nothing happens when it is not there. */
void map_remove(struct map *map, uint64_t key);

/* Releases what @map owns and empties it. No thread may read it meanwhile. */
void map_release(struct map *map);

#endif
