/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Open addressing with linear probing, at most half full; a removal moves later
 * entries of the same run back, so that there are no tombstones and a map that
 * does not grow needs no memory.
 *
 * A removal may happen while a thread reads: it reads again when entries have
 * moved since it began. An entry that is added, or a value that is replaced, is
 * there or is not: that needs no second read. Tables that became too small are
 * kept for threads that read them; all of them together are smaller than the
 * one in use.
 */
#include "map.h"

#include <sched.h>
#include <stdlib.h>

#include "asserts.h"
#include "hash.h"

struct map_table {
	size_t capacity;            /* a power of two */
	struct map_table *outgrown; /* owned */
	struct entry {
		_Atomic uint64_t key; /* 0: free */
		_Atomic uint64_t value;
	} entries[];
};

enum { FIRST_CAPACITY = 64, PATIENCE = 64 };

/* Loads and stores of parts of entries: a load sees all that was stored before. */
static uint64_t load(const _Atomic uint64_t *part)
{
	return atomic_load_explicit(part, memory_order_acquire);
}

static void store(_Atomic uint64_t *part, uint64_t value)
{
	atomic_store_explicit(part, value, memory_order_release);
}

static size_t home(const struct map_table *table, uint64_t key)
{
	ASSERT(key && !(table->capacity & (table->capacity - 1)));
	return (size_t)(hash_u64(key) >> 20) & (table->capacity - 1);
}

/*
 * Returns the entry of @key, or the free entry where it would be. It always ends, for
 * a reader that entries which move have misled, too.
 */
static size_t probe(const struct map_table *table, uint64_t key)
{
	size_t at = home(table, key);

	for (size_t steps = 0; steps < table->capacity; steps++) {
		uint64_t found = load(&table->entries[at].key);

		if (!found || found == key)
			break;
		at = (at + 1) & (table->capacity - 1);
	}
	return at;
}

/* The value is stored first: a reader that sees the key sees it, too. */
static void enter(struct map_table *table, size_t at, uint64_t key, uint64_t value)
{
	store(&table->entries[at].value, value);
	store(&table->entries[at].key, key);
}

static struct map_table *table_of(const struct map *map)
{
	return atomic_load_explicit(&map->table, memory_order_acquire);
}

static bool grow(struct map *map)
{
	struct map_table *table = table_of(map), *larger;
	size_t capacity = table ? table->capacity * 2 : FIRST_CAPACITY;

	larger = calloc(1, sizeof(*larger) + capacity * sizeof(larger->entries[0]));
	if (!larger)
		return false;
	larger->capacity = capacity;
	larger->outgrown = table;
	for (size_t i = 0; table && i < table->capacity; i++) {
		uint64_t key = load(&table->entries[i].key);

		if (key)
			enter(larger, probe(larger, key), key,
			      load(&table->entries[i].value));
	}
	atomic_store_explicit(&map->table, larger, memory_order_release);
	return true;
}

bool map_set(struct map *map, uint64_t key, uint64_t value)
{
	struct map_table *table = table_of(map);
	size_t at;

	if ((!table || map->count * 2 >= table->capacity) && !grow(map))
		return false;
	table = table_of(map);
	ASSERT(map->count < table->capacity);
	at = probe(table, key);
	map->count += !load(&table->entries[at].key);
	enter(table, at, key, value);
	return true;
}

/* Reads one time. False when entries moved meanwhile. */
static inline bool try_get(const struct map *map, uint64_t key, uint64_t *value)
{
	unsigned moves = atomic_load_explicit(&map->moves, memory_order_acquire);
	const struct map_table *table = table_of(map);
	const struct entry *entry;

	*value = 0;
	if (!table)
		return true;
	entry = &table->entries[probe(table, key)];
	if (load(&entry->key) == key)
		*value = load(&entry->value);
	return !(moves & 1) &&
	       atomic_load_explicit(&map->moves, memory_order_relaxed) == moves;
}

uint64_t map_get(const struct map *map, uint64_t key)
{
	uint64_t value = 0;

	for (unsigned tries = 1; key && !try_get(map, key, &value); tries++)
		if (tries % PATIENCE == 0)
			sched_yield(); /* the thread that removes may wait for this processor */
	return value;
}

/* Closes the hole at @hole: moves back the following entries of the run that may move. */
static void close_hole(struct map_table *table, size_t hole)
{
	struct entry *entries = table->entries;
	size_t mask = table->capacity - 1;
	uint64_t key;

	for (size_t at = (hole + 1) & mask; (key = load(&entries[at].key));
	     at = (at + 1) & mask) {
		size_t distance = (at - home(table, key)) & mask;

		if (distance < ((at - hole) & mask))
			continue;
		enter(table, hole, key, load(&entries[at].value));
		hole = at;
	}
	enter(table, hole, 0, 0);
}

void map_remove(struct map *map, uint64_t key)
{
	struct map_table *table = table_of(map);
	unsigned moves = atomic_load_explicit(&map->moves, memory_order_relaxed);
	size_t at;

	if (!table || !key)
		return;
	at = probe(table, key);
	if (!load(&table->entries[at].key))
		return;
	ASSERT(map->count && !(moves & 1));
	map->count--;
	atomic_store_explicit(&map->moves, moves + 1, memory_order_relaxed);
	close_hole(table, at);
	atomic_store_explicit(&map->moves, moves + 2, memory_order_release);
}

void map_release(struct map *map)
{
	struct map_table *table = table_of(map);

	while (table) {
		struct map_table *outgrown = table->outgrown;

		free(table);
		table = outgrown;
	}
	atomic_store(&map->table, NULL);
	map->count = 0;
}
