/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Fills with patterns of any size, at any address. */
#include <stdatomic.h>
#include <unistd.h>

#include "kernels.h"

enum { ROOM = 8192, AROUND = 0xee };

/* A pattern of @size bytes none of which tells of a shorter one. */
static void make_pattern(uint8_t *pattern, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		pattern[i] = (uint8_t)(i * 37 + i / 7 + 1);
}

/* Tells whether memory is what @count copies of @pattern at @offset make of it. */
static bool is_filled(const uint8_t *memory, unsigned offset, const uint8_t *pattern,
		      unsigned size, unsigned count)
{
	for (unsigned i = 0; i < ROOM; i++) {
		const bool inside = i >= offset && i < offset + size * count;

		if (memory[i] != (inside ? pattern[(i - offset) % size] : AROUND))
			return false;
	}
	return true;
}

static void check_fill(uint64_t address, unsigned offset, const uint8_t *pattern,
		       unsigned size, unsigned count, struct gpurun_stream stream)
{
	static uint8_t back[ROOM];

	CHECK_INT(gpurun_memory_fill(address, AROUND, 1, ROOM, stream), GPURUN_OK);
	CHECK_INT(gpurun_memory_fill_pattern(address + offset, pattern, size, count, stream),
		  GPURUN_OK);
	CHECK_INT(gpurun_memory_copy(host(back), address, ROOM, stream), GPURUN_OK);
	if (stream.id)
		CHECK_INT(gpurun_stream_synchronize(stream), GPURUN_OK);
	if (!CHECK(is_filled(back, offset, pattern, size, count)))
		printf("#   %u times %u bytes at offset %u\n", count, size, offset);
}

static void check_sizes(struct gpurun_stream stream)
{
	static const unsigned sizes[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16,
					  17, 64, 1000 };
	const uint64_t address = alloc(ROOM);
	uint8_t pattern[1000];

	for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		make_pattern(pattern, sizes[i]);
		for (unsigned offset = 0; offset < 5; offset++) {
			check_fill(address, offset, pattern, sizes[i], 1, stream);
			check_fill(address, offset, pattern, sizes[i], 7, stream);
		}
	}
	CHECK_INT(gpurun_memory_free(address), GPURUN_OK);
}

static void test_sizes(void)
{
	check_sizes(new_stream());
}

/* Without a stream the call fills and waits. */
static void test_waiting(void)
{
	check_sizes(no_stream);
}

/* Patterns that hide a shorter one, and some that only seem to. */
static void test_periodic(void)
{
	static const struct {
		const char *pattern;
		unsigned size;
	} cases[] = {
		{ "aaaaaaaa", 8 }, { "abababab", 8 }, { "abcdabcd", 8 }, { "abcabc", 6 },
		{ "aabaab", 6 },   { "abab", 4 },     { "aaab", 4 },     { "abcdabce", 8 },
		{ "aaaaaaa", 7 },  { "abababa", 7 },  { "abcabcabcabc", 12 },
		{ "aaaaaaaabbbbaaaa", 16 },           { "aabbaabbaabb", 12 },
	};
	const struct gpurun_stream stream = new_stream();
	const uint64_t address = alloc(ROOM);

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		for (unsigned offset = 0; offset < 4; offset++)
			check_fill(address, offset, (const uint8_t *)cases[i].pattern,
				   cases[i].size, 9, stream);
	CHECK_INT(gpurun_memory_free(address), GPURUN_OK);
}

static void test_kinds(void)
{
	uint8_t pattern[12];

	make_pattern(pattern, sizeof(pattern));
	for (int kind = GPURUN_MEMORY_DEVICE; kind <= GPURUN_MEMORY_MANAGED; kind++) {
		uint64_t address;

		CHECK_INT(gpurun_memory_alloc(device, ROOM, (enum gpurun_memory_kind)kind,
					      &address), GPURUN_OK);
		check_fill(address, 4, pattern, sizeof(pattern), 100, new_stream());
		CHECK_INT(gpurun_memory_free(address), GPURUN_OK);
	}
}

/* Registered memory is the device's to fill, too. */
static void test_registered(void)
{
	static _Alignas(4096) uint8_t mine[ROOM];
	const uint8_t pattern[] = { 1, 2, 3 };

	CHECK_INT(gpurun_memory_register(mine, sizeof(mine)), GPURUN_OK);
	check_fill(host(mine), 1, pattern, sizeof(pattern), 20, new_stream());
	CHECK_INT(gpurun_memory_fill_pattern(host(mine) + 1, pattern, ROOM, 1, no_stream),
		  GPURUN_INVALID);
	CHECK_INT(gpurun_memory_unregister(mine), GPURUN_OK);
}

static atomic_bool open_gate, entered, passed;

/* Holds a stream up until the gate is open. */
static void gate(void *unused)
{
	(void)unused;
	entered = true;
	while (!open_gate)
		usleep(1000);
	passed = true;
}

/* The call is back, its pattern forgotten, before a blocked stream goes on. */
static void test_blocked(void)
{
	const struct gpurun_stream stream = new_stream();
	const uint64_t address = alloc(ROOM);
	uint8_t pattern[20], kept[20], back[100] = { 0 };

	make_pattern(kept, sizeof(kept));
	memcpy(pattern, kept, sizeof(kept));
	open_gate = !executes();
	passed = false;
	CHECK_INT(gpurun_stream_host_function(stream, gate, NULL), GPURUN_OK);
	CHECK_INT(gpurun_memory_fill_pattern(address, pattern, sizeof(pattern), 5, stream),
		  GPURUN_OK);
	memset(pattern, 0, sizeof(pattern));
	CHECK(passed == !executes());
	open_gate = true;
	CHECK_INT(gpurun_memory_copy(host(back), address, sizeof(back), stream), GPURUN_OK);
	CHECK_INT(gpurun_stream_synchronize(stream), GPURUN_OK);
	for (unsigned i = 0; i < sizeof(back); i++)
		CHECK_INT(back[i], kept[i % sizeof(kept)]);
	CHECK_INT(gpurun_memory_free(address), GPURUN_OK);
}

/* One that waits does not wait for streams that are not its own. */
static void test_beside_blocked(void)
{
	const struct gpurun_stream stream = new_stream();
	const uint64_t address = alloc(ROOM);
	const uint8_t pattern[] = { 5, 6, 7 };

	open_gate = !executes();
	entered = false;
	CHECK_INT(gpurun_stream_host_function(stream, gate, NULL), GPURUN_OK);
	while (!entered)
		usleep(1000);
	check_fill(address, 2, pattern, sizeof(pattern), 50, no_stream);
	open_gate = true;
	CHECK_INT(gpurun_stream_synchronize(stream), GPURUN_OK);
	CHECK_INT(gpurun_memory_free(address), GPURUN_OK);
}

static void test_refused(void)
{
	const struct gpurun_stream stale = new_stream();
	const uint64_t address = alloc(100);
	const uint8_t pattern[] = { 1, 2, 3 };

	CHECK_INT(gpurun_memory_fill_pattern(address, NULL, 3, 1, no_stream), GPURUN_INVALID);
	CHECK_HAS(gpurun_error_text(), "no pattern");
	CHECK_INT(gpurun_memory_fill_pattern(address, pattern, 0, 1, no_stream),
		  GPURUN_INVALID);
	CHECK_INT(gpurun_memory_fill_pattern(0, pattern, 3, 1, no_stream), GPURUN_INVALID);
	CHECK_INT(gpurun_memory_fill_pattern(address, pattern, 3, UINT64_MAX / 2, no_stream),
		  GPURUN_INVALID);
	CHECK_HAS(gpurun_error_text(), "more than there are addresses");
	CHECK_INT(gpurun_memory_fill_pattern(address, pattern, 1, UINT64_MAX, no_stream),
		  GPURUN_INVALID);
	CHECK_INT(gpurun_memory_fill_pattern(address, pattern, 3, 0, no_stream), GPURUN_OK);
	CHECK_INT(gpurun_stream_destroy(stale), GPURUN_OK);
	CHECK_INT(gpurun_memory_fill_pattern(address, pattern, 3, 0, stale), GPURUN_HANDLE);
	CHECK_INT(gpurun_memory_free(address), GPURUN_OK);
}

/* The end is checked against the block, wherever in it the fill begins. */
static void test_range(void)
{
	const uint64_t address = alloc(100);
	const uint8_t pattern[] = { 1, 2, 3, 4, 5 };

	CHECK_INT(gpurun_memory_fill_pattern(address, pattern, 5, 20, no_stream), GPURUN_OK);
	CHECK_INT(gpurun_memory_fill_pattern(address, pattern, 5, 21, no_stream),
		  GPURUN_INVALID);
	CHECK_HAS(gpurun_error_text(), "fill of 105 bytes");
	CHECK_HAS(gpurun_error_text(), "its block ends after 100 bytes");
	CHECK_INT(gpurun_memory_fill_pattern(address + 95, pattern, 5, 1, no_stream),
		  GPURUN_OK);
	CHECK_INT(gpurun_memory_fill_pattern(address + 96, pattern, 5, 1, no_stream),
		  GPURUN_INVALID);
	CHECK_INT(gpurun_memory_free(address), GPURUN_OK);
}

int main(void)
{
	if (!up())
		return 1;
	RUN(test_sizes);
	RUN(test_waiting);
	RUN(test_periodic);
	RUN(test_kinds);
	RUN(test_registered);
	RUN(test_blocked);
	RUN(test_beside_blocked);
	RUN(test_refused);
	RUN(test_range);
	gpurun_shutdown();
	return tap_end();
}
