/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What check=init knows of device memory, and what memory that takes. */
#include <unistd.h>

#include "arena.h"
#include "config.h"
#include "shadow_memory.h"
#include "tap.h"

#define MIB ((uint64_t)1 << 20)

static uint64_t resident(void)
{
	unsigned long long size = 0, pages = 0;
	FILE *file = fopen("/proc/self/statm", "r");

	if (!file || fscanf(file, "%llu %llu", &size, &pages) != 2)
		pages = 0;
	if (file)
		fclose(file);
	return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static uint64_t alloc(uint64_t size)
{
	uint64_t address = 0;

	CHECK_INT(arena_alloc(size, 256, BLOCK_DEVICE, &address, NULL), 0);
	return address;
}

/* Large blocks are cleared by pages: the bytes around them keep what is known of them. */
static void test_bounds(void)
{
	static const uint64_t sizes[] = { 1, 4096, 65535, 65536, 70001, 4 * MIB + 3 };
	const uint64_t at = alloc(16 * MIB);

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		const uint64_t from = at + MIB + 100 * i, size = sizes[i];
		uint64_t wrong = 0;

		shadow_set_written(at, 16 * MIB, true);
		shadow_set_written(from, size, false);
		for (uint64_t k = 0; k < 8 * MIB; k++)
			wrong += *shadow_written(at + k) != (at + k - from >= size);
		CHECK_INT(wrong, 0);
	}
	CHECK_INT(arena_free(at, NULL), 0);
}

/* Addresses are used again late: what was known of the freed ones goes with them. */
static void test_memory(void)
{
	const uint64_t before = resident();

	for (unsigned i = 0; i < 64; i++) {
		const uint64_t at = alloc(16 * MIB);

		shadow_set_written(at, 16 * MIB, true);
		CHECK_INT(arena_free(at, NULL), 0);
	}
	/* Of a GiB. A tool that makes programs slow keeps notes of all their memory, and the address
	 * sanitizer an eighth. */
	CHECK(slower() > 1 || resident() < before + 256 * MIB);
}

int main(void)
{
	config_init(NULL);
	config.check = CHECK_INIT;
	RUN(test_bounds);
	RUN(test_memory);
	return tap_end();
}
