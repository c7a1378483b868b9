/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Open addressing with linear probing, at most half full; a removal moves later
 * entries of the same run back, so that there are no tombstones.
 */
#include "map.h"

#include <stdlib.h>
#include <string.h>

static size_t home(const struct map *map, uint64_t key)
{
	return (size_t)((key * 0x9e3779b97f4a7c15u) >> 20) & (map->capacity - 1);
}

/* Returns where @key stands, or the free entry where it would. */
static size_t probe(const struct map *map, uint64_t key)
{
	size_t at = home(map, key);

	while (map->entries[at].key && map->entries[at].key != key)
		at = (at + 1) & (map->capacity - 1);
	return at;
}

static bool grow(struct map *map)
{
	struct map larger = { NULL, map->capacity ? map->capacity * 2 : 64, map->count };

	larger.entries = calloc(larger.capacity, sizeof(larger.entries[0]));
	if (!larger.entries)
		return false;
	for (size_t i = 0; i < map->capacity; i++)
		if (map->entries[i].key)
			larger.entries[probe(&larger, map->entries[i].key)] =
				map->entries[i];
	free(map->entries);
	*map = larger;
	return true;
}

bool map_set(struct map *map, uint64_t key, uint64_t value)
{
	struct map_entry *entry;

	if (map->count * 2 >= map->capacity && !grow(map))
		return false;
	entry = &map->entries[probe(map, key)];
	map->count += !entry->key;
	*entry = (struct map_entry){ key, value };
	return true;
}

uint64_t map_get(const struct map *map, uint64_t key)
{
	return map->capacity && key ? map->entries[probe(map, key)].value : 0;
}

void map_remove(struct map *map, uint64_t key)
{
	size_t mask = map->capacity - 1;
	size_t hole;

	if (!map->capacity || !key)
		return;
	hole = probe(map, key);
	if (!map->entries[hole].key)
		return;
	map->count--;
	for (size_t at = (hole + 1) & mask; map->entries[at].key; at = (at + 1) & mask) {
		size_t distance = (at - home(map, map->entries[at].key)) & mask;

		if (distance < ((at - hole) & mask))
			continue;
		map->entries[hole] = map->entries[at];
		hole = at;
	}
	map->entries[hole] = (struct map_entry){ 0, 0 };
}

void map_release(struct map *map)
{
	free(map->entries);
	memset(map, 0, sizeof(*map));
}
