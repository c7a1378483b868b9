/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "map.h"

#include <pthread.h>

#include "tap.h"

static void test_empty(void)
{
	struct map map = { .moves = 0 };

	CHECK_INT(map_get(&map, 8), 0);
	map_remove(&map, 8);
	map_release(&map);
}

/* Keys that come and go in any order are found exactly while they are in. */
static void test_against_array(void)
{
	enum { KEYS = 512 };
	static uint64_t values[KEYS];
	struct map map = { .moves = 0 };
	uint64_t random = 1;
	size_t count = 0;

	for (int i = 0; i < 20000; i++) {
		size_t key;

		random = random * 6364136223846793005u + 1442695040888963407u;
		key = random >> 33 & (KEYS - 1);
		count += !values[key];
		values[key] = random >> 62 ? random : 0;
		count -= !values[key];
		if (values[key])
			CHECK(map_set(&map, 16 + key * 64, random));
		else
			map_remove(&map, 16 + key * 64);
		if (i % 64)
			continue;
		for (size_t k = 0; k < KEYS; k++)
			REQUIRE(map_get(&map, 16 + k * 64) == values[k]);
		REQUIRE(map.count == count);
	}
	map_release(&map);
	CHECK_INT(map_get(&map, 16), 0);
}

/* A map that does not grow needs no more memory, however much comes and goes. */
static void test_flat(void)
{
	struct map map = { .moves = 0 };
	struct map_table *table;

	for (uint64_t key = 1; key <= 1000; key++)
		CHECK(map_set(&map, key * 16, key));
	table = map.table;
	for (uint64_t i = 0; i < 2000000; i++) {
		REQUIRE(map_set(&map, (1001 + i) * 16, i));
		map_remove(&map, (1001 + i) * 16);
	}
	CHECK(map.table == table);
	CHECK_INT(map.count, 1000);
	for (uint64_t key = 1; key <= 1000; key++)
		CHECK(map_get(&map, key * 16) == key);
	map_release(&map);
}

/* What the threads of the stress share. */
enum { FEW = 32, MANY = 4096, READERS = 4, CHANGES = 1000000, STAY = 16 };

static struct map shared;
/* CHANGE:48 | INDEX:16 of a key that is in the map as long as this stands here. */
static _Atomic uint64_t staying;
static atomic_bool done;
static atomic_uint wrong;

/* Keys without a pattern: regular ones hardly ever want the same place. */
static uint64_t key_at(uint64_t i)
{
	i = (i + 1) * 0xbf58476d1ce4e5b9u;
	return (i ^ i >> 29) * 0x94d049bb133111ebu | 1;
}

static uint64_t value_of(uint64_t key)
{
	return key * 3 + 1;
}

/* A key that stays is found, and no key has another's value, whatever moves. */
static void *read_keys(void *data)
{
	uint64_t i = (uint64_t)(uintptr_t)data;

	while (!atomic_load(&done)) {
		uint64_t stays = atomic_load(&staying);
		uint64_t key = key_at(stays & 0xffff);
		uint64_t value = map_get(&shared, key);

		if (value != value_of(key) && atomic_load(&staying) == stays)
			atomic_fetch_add(&wrong, 1);
		key = key_at(i++ % FEW);
		value = map_get(&shared, key);
		if (value && value != value_of(key))
			atomic_fetch_add(&wrong, 1);
	}
	return NULL;
}

static void set(uint64_t key)
{
	if (!map_set(&shared, key, value_of(key)))
		atomic_fetch_add(&wrong, 1);
}

/* Few keys at first, which often have the same place; then many: the map grows
 * under its readers. What is to stay is the last of its run and moves from there. */
static void change_keys(void)
{
	uint64_t random = 1;

	for (unsigned i = 0; i < CHANGES; i++) {
		uint64_t index;

		random = random * 6364136223846793005u + 1442695040888963407u;
		index = (random >> 33) % (i < CHANGES - 4 * MANY ? FEW : MANY);
		if (index == (atomic_load(&staying) & 0xffff))
			continue;
		map_remove(&shared, key_at(index));
		if (random >> 63)
			set(key_at(index));
		if (random >> 63 && i % STAY < STAY / 4)
			atomic_store(&staying, (uint64_t)i << 16 | index);
	}
}

static void test_readers(void)
{
	pthread_t readers[READERS];

	set(key_at(0));
	for (uintptr_t i = 0; i < READERS; i++)
		REQUIRE(!pthread_create(&readers[i], NULL, read_keys, (void *)i));
	change_keys();
	atomic_store(&done, true);
	for (int i = 0; i < READERS; i++)
		pthread_join(readers[i], NULL);
	CHECK_INT(wrong, 0);
	map_release(&shared);
}

int main(void)
{
	RUN(test_empty);
	RUN(test_against_array);
	RUN(test_flat);
	RUN(test_readers);
	return tap_end();
}
