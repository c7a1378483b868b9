/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

#include "arena.h"
#include "config.h"
#include "record.h"
#include "tap.h"
#include "warp.h"

#define MIB ((uint64_t)1 << 20)

static uint64_t alloc(uint64_t size)
{
	uint64_t address = 0;

	CHECK_INT(arena_alloc(size, 256, BLOCK_DEVICE, &address, NULL), 0);
	return address;
}

static bool finds(uint64_t address, uint64_t base)
{
	struct block block;

	return arena_find(address, &block) && block.base == base;
}

/* Every size class and beyond: exact bounds, alignment, zeroes, a gap behind. */
static bool anybody(uint64_t owner, uint64_t ending)
{
	(void)owner, (void)ending;
	return true;
}

/* Before any other: memory begins where a large page does, of device memory and of the host's. */
static void test_begin(void)
{
	const uint64_t address = alloc(MIB);
	uint64_t managed = 0;

	CHECK_INT(arena_alloc(MIB, 256, BLOCK_MANAGED, &managed, NULL), 0);
	CHECK(address && address % (2 * MIB) == 0);
	CHECK(managed && managed % (2 * MIB) == 0);
	CHECK((uintptr_t)arena_bytes(address) % (2 * MIB) == 0);
	CHECK_INT(arena_free(address, NULL), 0);
	CHECK_INT(arena_free(managed, NULL), 0);
}

static void test_sizes(void)
{
	static const uint64_t sizes[] = { 1,	 255,	256,   257,   1000,  4096,  16128,
					  16129, 65535, 65536, 65537, 1 << 20, (1 << 20) + 1 };
	struct block block;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		uint64_t size = sizes[i], a = alloc(size), b = alloc(size);
		const unsigned char *bytes = arena_bytes(a);

		CHECK(a && a % 256 == 0 && arena_owns(a));
		CHECK(finds(a, a) && finds(a + size - 1, a));
		CHECK(!finds(a + size, a) && !arena_find(a - 1, &block));
		CHECK(a < b ? b - a >= size + 256 : a - b >= size + 256);
		CHECK(bytes[0] == 0 && bytes[size - 1] == 0);
		CHECK(arena_find(a, &block) && block.size == size && block.kind == BLOCK_DEVICE);
		CHECK_INT(arena_free(b, NULL), 0);
		CHECK_INT(arena_free(a, NULL), 0);
		CHECK(!arena_find(a, &block));
	}
}

/* What a kernel reaches: all that was asked for, or all units of which it has bytes. */
static void test_reach(void)
{
	static const uint64_t sizes[] = { 1, 256, 512, 513, 1025, 16128, 65536, 65537 };
	struct block block;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		const uint64_t size = sizes[i], end = (size + 511) / 512 * 512, a = alloc(size);

		CHECK(memory_block(a + size - 1, &block) && block.size == size);
		CHECK(!memory_block(a + size, &block));
		config.wide_bounds = true;
		CHECK(memory_block(a, &block) && block.size == end);
		CHECK(memory_block(a + end - 1, &block) && block.base == a && block.size == end);
		CHECK(!memory_block(a + end, &block) || block.base != a);
		CHECK(!memory_block(a - 1, &block) || block.base != a);
		CHECK_INT(*(const unsigned char *)arena_bytes(a + end - 1), 0);
		CHECK(arena_find(a, &block) && block.size == size);
		CHECK(end == size || !arena_find(a + size, &block));
		config.wide_bounds = false;
		CHECK_INT(arena_free(a, NULL), 0);
	}
}

static void test_refused(void)
{
	uint64_t address = 1, a = alloc(1000);
	struct err e;

	CHECK_INT(arena_alloc(0, 256, BLOCK_DEVICE, &address, &e), GPURUN_INVALID);
	CHECK_INT(address, 0);
	CHECK_INT(arena_alloc(1, 768, BLOCK_DEVICE, &address, &e), GPURUN_INVALID);
	CHECK_INT(arena_alloc(UINT64_MAX, 256, BLOCK_DEVICE, &address, &e), GPURUN_NO_MEMORY);
	CHECK_HAS(e.text, "18446744073709551615 bytes asked for");
	CHECK_INT(arena_free(a + 256, &e), GPURUN_INVALID);
	CHECK_INT(arena_free(0, &e), GPURUN_INVALID);
	CHECK_INT(arena_free((uintptr_t)&e, &e), GPURUN_INVALID);
	CHECK_INT(arena_free(a, &e), 0);
	CHECK_INT(arena_free(a, &e), GPURUN_INVALID);
}

/* Programs get less than all; what modules bring along has the rest. */
static void test_limit(void)
{
	uint64_t all, left, limit, address, variable, a;

	arena_usage(&all, &limit);
	CHECK(limit == config.memory && all < limit && all >= limit - limit / 64);
	a = alloc(all / 2);
	arena_usage(&left, &limit);
	CHECK_INT(left, all - all / 2);
	CHECK_INT(arena_alloc(left + 1, 256, BLOCK_DEVICE, &address, NULL), GPURUN_NO_MEMORY);
	CHECK_INT(arena_free(a, NULL), 0);
	a = alloc(all);
	arena_usage(&left, &limit);
	CHECK_INT(left, 0);
	CHECK_INT(arena_alloc(1, 256, BLOCK_HOST, &address, NULL), GPURUN_NO_MEMORY);
	CHECK(!arena_charge(1));
	CHECK_INT(arena_alloc(limit - all, 256, BLOCK_VARIABLE, &variable, NULL), 0);
	CHECK_INT(arena_alloc(1, 256, BLOCK_VARIABLE, &address, NULL), GPURUN_NO_MEMORY);
	CHECK_INT(arena_free(variable, NULL), 0);
	CHECK_INT(arena_free(a, NULL), 0);
	arena_usage(&left, &limit);
	CHECK_INT(left, all);
}

static void test_alignment(void)
{
	for (uint64_t align = 256; align <= 2 * MIB; align *= 2) {
		uint64_t address = 0;

		CHECK_INT(arena_alloc(100, align, BLOCK_DEVICE, &address, NULL), 0);
		CHECK(address && address % align == 0);
		CHECK_INT(arena_free(address, NULL), 0);
	}
}

/* A reused block reads as zero; freed memory can be read and is zero. */
static void test_zeroed(void)
{
	static const uint64_t sizes[] = { 300, 100000 };

	for (int i = 0; i < 2; i++) {
		for (int round = 0; round < 5000; round++) {
			uint64_t a = alloc(sizes[i]);
			unsigned char *bytes = arena_bytes(a);

			if (bytes[0] || bytes[sizes[i] - 1]) {
				CHECK(!"zeroed");
				return;
			}
			bytes[0] = bytes[sizes[i] - 1] = 1;
			CHECK_INT(arena_free(a, NULL), 0);
			if (bytes[0] || bytes[sizes[i] - 1]) {
				CHECK(!"zero after free");
				return;
			}
		}
	}
}

static void test_nearest(void)
{
	uint64_t a = alloc(1000), b = alloc(100000);
	struct block block;
	bool freed;

	REQUIRE(arena_nearest(a + 1010, &block, &freed));
	CHECK(block.base == a && !freed);
	REQUIRE(arena_nearest(b - 1, &block, &freed));
	CHECK(block.base == b && !freed);
	CHECK_INT(arena_free(b, NULL), 0);
	REQUIRE(arena_nearest(b + 500, &block, &freed));
	CHECK(block.base == b && block.size == 100000 && freed);
	CHECK_INT(arena_free(a, NULL), 0);
	REQUIRE(arena_nearest(a + 1, &block, &freed));
	CHECK(block.base == a && freed);
}

static void test_registered(void)
{
	static char memory[100000];
	const uint64_t base = (uintptr_t)memory;
	struct block block;

	CHECK(!arena_find(base, &block) && !arena_owns(base));
	for (int i = 0; i < 50; i++)
		CHECK_INT(arena_register(memory + i * 2000, 1000, NULL), 0);
	for (int i = 0; i < 50; i++) {
		CHECK(finds(base + (uint64_t)i * 2000, base + (uint64_t)i * 2000));
		CHECK(finds(base + (uint64_t)i * 2000 + 999, base + (uint64_t)i * 2000));
		CHECK(!arena_find(base + (uint64_t)i * 2000 + 1000, &block));
	}
	CHECK_INT(arena_register(memory + 1500, 1000, NULL), GPURUN_INVALID);
	CHECK_INT(arena_register(memory + 100, 10, NULL), GPURUN_INVALID);
	CHECK_INT(arena_register(memory, 100000, NULL), GPURUN_INVALID);
	CHECK_INT(arena_register(memory + 1000, 1000, NULL), 0);
	CHECK_INT(arena_free(base + 1, NULL), GPURUN_INVALID);
	CHECK_INT(arena_free(base + 1000, NULL), 0);
	for (int i = 0; i < 50; i += 2)
		CHECK_INT(arena_free(base + (uint64_t)i * 2000, NULL), 0);
	CHECK(!arena_find(base, &block) && finds(base + 2000, base + 2000));
	arena_clear(anybody, 0);
	CHECK(!arena_find(base + 2000, &block));
}

/* A mapping of the host for each block would be more than a process may have. */
static void test_mappings(void)
{
	for (int i = 0; i < 40000; i++)
		CHECK_INT(arena_free(alloc(100000), NULL), 0);
}

/* Tells whether the host can read a byte at @address: the system answers, no signal comes. */
static bool readable(const int pipe_fds[2], uint64_t address)
{
	char byte;

	if (write(pipe_fds[1], (const void *)(uintptr_t)address, 1) < 0)
		return false;
	return read(pipe_fds[0], &byte, 1) == 1;
}

/* The address of what is the device's alone leads the host nowhere, live or freed. */
static void test_hidden(void)
{
	static const struct {
		enum block_kind kind;
		bool hidden;
	} kinds[] = {
		{ BLOCK_DEVICE, true }, { BLOCK_VARIABLE, true }, { BLOCK_CONSTANT, true },
		{ BLOCK_HEAP, true }, { BLOCK_HOST, false }, { BLOCK_MANAGED, false },
		{ BLOCK_MANAGED_VARIABLE, false },
	};
	static const uint64_t sizes[] = { 100, 100000 };
	int pipe_fds[2];

	REQUIRE(!pipe(pipe_fds));
	for (size_t i = 0; i < 2 * sizeof(kinds) / sizeof(kinds[0]); i++) {
		const bool hidden = kinds[i / 2].hidden;
		uint64_t address = 0, bytes;

		CHECK_INT(arena_alloc(sizes[i % 2], 256, kinds[i / 2].kind, &address, NULL), 0);
		bytes = (uintptr_t)arena_bytes(address);
		CHECK(hidden == (bytes != address) && arena_owns(address));
		CHECK(hidden == !arena_owns(bytes));
		CHECK(readable(pipe_fds, bytes) && readable(pipe_fds, address) == !hidden);
		CHECK_INT(bytes + sizes[i % 2] - 1 -
			  (uintptr_t)arena_bytes(address + sizes[i % 2] - 1), 0);
		CHECK_INT(arena_free(address, NULL), 0);
		CHECK(readable(pipe_fds, bytes) && readable(pipe_fds, address) == !hidden);
	}
	CHECK_INT((uintptr_t)arena_bytes((uintptr_t)pipe_fds) - (uintptr_t)pipe_fds, 0);
	close(pipe_fds[0]);
	close(pipe_fds[1]);
}

/* What a handler of SIGSEGV finds without a lock. */
static void test_look(void)
{
	uint64_t small = alloc(1000), large = alloc(100000);
	struct block block;
	bool freed;

	REQUIRE(arena_look(small + 1010, &block, &freed));
	CHECK(block.base == small && !freed);
	REQUIRE(arena_look(large + 99999, &block, &freed));
	CHECK(block.base == large && !freed);
	REQUIRE(arena_look(large + 2 * 65536 + 5, &block, &freed));
	CHECK(block.base == large && !freed);
	CHECK_INT(arena_free(large, NULL), 0);
	REQUIRE(arena_look(large, &block, &freed));
	CHECK(block.base == large && block.size == 100000 && freed);
	CHECK(!arena_look((uintptr_t)&small, &block, &freed));
	CHECK_INT(arena_free(small, NULL), 0);
}

static void test_many(void)
{
	enum { COUNT = 20000 };
	uint64_t *blocks = calloc(COUNT, sizeof(*blocks)), all, left, limit;
	unsigned random = 1, wrong = 0;

	arena_usage(&all, &limit);
	for (int i = 0; i < COUNT; i++) {
		random = random * 1664525 + 1013904223;
		blocks[i] = alloc(1 + (random >> 8) % 3000);
		*(int *)arena_bytes(blocks[i]) = i;
	}
	for (int i = 0; i < COUNT; i++)
		wrong += *(int *)arena_bytes(blocks[i]) != i || !finds(blocks[i], blocks[i]);
	CHECK_INT(wrong, 0);
	for (int i = 0; i < COUNT; i += 2)
		arena_free(blocks[i], NULL);
	for (int i = 1; i < COUNT; i += 2)
		wrong += !finds(blocks[i], blocks[i]);
	CHECK_INT(wrong, 0);
	arena_clear(anybody, 0);
	arena_usage(&left, &limit);
	CHECK_INT(left, all);
	free(blocks);
}

static atomic_bool stop;
static uint64_t stable;

/* Looks blocks up while others come and go. */
static void *look(void *unused)
{
	struct block block;
	uintptr_t wrong = 0;

	(void)unused;
	for (uint64_t i = 0; !atomic_load(&stop); i++) {
		wrong += !arena_find(stable + i % 1000, &block) || block.base != stable;
		arena_find(stable + i * 4096 % (64 * MIB), &block);
		arena_find((uintptr_t)&stop + i * 512 % MIB, &block);
	}
	return (void *)wrong;
}

static void test_concurrent(void)
{
	static char memory[64 * 1000];
	pthread_t threads[2];

	stable = alloc(1000);
	atomic_store(&stop, false);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, look, NULL);
	for (int round = 0; round < 200; round++) {
		uint64_t a = alloc(100), b = alloc(MIB);

		for (int i = 0; i < 8; i++)
			arena_register(memory + i * 1000, 500, NULL);
		for (int i = 0; i < 8; i++)
			arena_free((uintptr_t)memory + (uint64_t)i * 1000, NULL);
		arena_free(a, NULL);
		arena_free(b, NULL);
	}
	atomic_store(&stop, true);
	for (int i = 0; i < 2; i++) {
		void *wrong;

		pthread_join(threads[i], &wrong);
		CHECK(!wrong);
	}
	arena_clear(anybody, 0);
}

/* ---- What a kernel's threads do at once ---------------------------------------------- */

enum { TURNS = 1000 };

static struct record turned;
static atomic_uint turns;

/* Two blocks take turns in one record, wherever the look at it stands. */
static void turn(int ignored)
{
	const unsigned i = atomic_fetch_add(&turns, 1);
	const struct block block = { .base = i % 2 ? 0x1000 : 0x800,
				     .size = i % 2 ? 0x10 : 0x1000, .serial = i + 1,
				     .owner = i % 2, .flags = i % 2 };

	(void)ignored;
	if (i)
		record_end(&turned);
	record_publish(&turned, &block);
}

static bool is_torn(const struct block *block)
{
	const bool odd = block->base == 0x1000;

	return block->size != (odd ? 0x10 : 0x1000) || block->owner != odd || block->flags != odd;
}

/* What is found is one of the blocks, and never the base of one with the size of the other. */
static void test_one_of_both(void)
{
	const struct itimerval often = { { 0, 50 }, { 0, 50 } }, never = { { 0, 0 }, { 0, 0 } };
	struct sigaction action = { .sa_handler = turn };
	unsigned lost = 0, torn = 0;
	struct block block = { 0 };

	turn(0);
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	while (atomic_load(&turns) < TURNS) {
		lost += !record_find(&turned, 0x1008, &block);
		torn += is_torn(&block);
	}
	setitimer(ITIMER_REAL, &never, NULL);
	CHECK_INT(lost, 0);
	CHECK_INT(torn, 0);
}

/* A kernel frees what is its heap's alone, though the host may own the address by then. */
static void test_free_of(void)
{
	uint64_t address = 0, size = 0, other = alloc(64);

	CHECK_INT(arena_alloc(100, 256, BLOCK_HEAP, &address, NULL), 0);
	arena_note(address, 7, 0);
	CHECK(!arena_free_of(address, BLOCK_HEAP, 8, &size));
	CHECK(!arena_free_of(address, BLOCK_DEVICE, 7, &size));
	CHECK(!arena_free_of(address + 1, BLOCK_HEAP, 7, &size));
	CHECK(!arena_free_of(other, BLOCK_HEAP, 0, &size));
	CHECK(finds(address, address) && finds(other, other));
	CHECK(arena_free_of(address, BLOCK_HEAP, 7, &size));
	CHECK_INT(size, 100);
	CHECK(!arena_free_of(address, BLOCK_HEAP, 7, &size));
	CHECK_INT(arena_free(other, NULL), 0);
}

int main(void)
{
	config.memory = (uint64_t)1 << 30;
	RUN(test_begin);
	RUN(test_sizes);
	RUN(test_reach);
	RUN(test_refused);
	RUN(test_limit);
	RUN(test_alignment);
	RUN(test_zeroed);
	RUN(test_nearest);
	RUN(test_registered);
	RUN(test_hidden);
	RUN(test_look);
	RUN(test_many);
	RUN(test_mappings);
	RUN(test_concurrent);
	RUN(test_one_of_both);
	RUN(test_free_of);
	return tap_end();
}
