/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "map.h"

#include "tap.h"

static void test_empty(void)
{
	struct map map = { 0 };

	CHECK_INT(map_get(&map, 8), 0);
	map_remove(&map, 8);
	map_release(&map);
}

/* Keys that come and go in any order are found exactly while they are in. */
static void test_against_array(void)
{
	enum { KEYS = 512 };
	static uint64_t values[KEYS];
	struct map map = { 0 };
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

int main(void)
{
	RUN(test_empty);
	RUN(test_against_array);
	return tap_end();
}
