/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Marks are found wherever they are, by the caller alone and with threads. */
#include "image_search.h"
#include "tap.h"

#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

enum { SIZE = 24 << 20, PART = 1 << 20, WINDOW = 128 << 10, MOST = 8192 };

static const char *const marks[] = {
	"\x50\xED\x55\xBA\x01\0\x10\0\0\0\0\0\0\0\0\0\0\0\0\0",
	"\177ELF\2\1\1\0\0\0\0\0\0\0\0\0\2\0\xBE\0",
	"\x10\xFF\x10\xAD\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
	".version 8.0\n       ",
};

static uint8_t data[SIZE];
static uint64_t places[MOST];
static size_t place_count;

static void put(uint64_t offset)
{
	memcpy(data + offset, marks[place_count % 4], 20);
	places[place_count++] = offset;
}

/* Marks around the ends of parts and windows, more in one part than are kept, and at the end. */
static void put_marks(void)
{
	place_count = 0;
	memset(data, 0x50, sizeof(data)); /* may be a mark, and is none */
	put(0);
	for (uint64_t part = 1; part < 5; part++)
		put(part * PART - 21 + 5 * part);
	for (uint64_t window = 1; window < 30; window++)
		put(5 * PART + window * WINDOW - 30 + window);
	for (uint64_t i = 0; i < 3000; i++)
		put(12 * PART + 100 + i * 101);
	for (uint64_t part = 16; part < 24; part++)
		put(part * PART + part * 65537 % PART);
	put(SIZE - 20);
}

static void use_processors(bool one, const cpu_set_t *all)
{
	cpu_set_t set = *all;

	for (int i = 0, kept = 0; one && i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, all) && kept++)
			CPU_CLR(i, &set);
	CHECK_INT(sched_setaffinity(0, sizeof(set), &set), 0);
}

/* Goes through all marks in gaps of @gap bytes, of which @covered at the beginning are left out,
 * @pause microseconds after the threads began. */
static void check_all(uint64_t gap, uint64_t covered, useconds_t pause)
{
	CLEANUP(free_image_search) struct image_search *search = NULL;
	const struct input none = { 0 };
	size_t at = 0, wrong = 0;
	struct err e = { 0 };

	CHECK_INT(image_search_start(&none, (struct bytes){ data, SIZE }, &search, &e), 0);
	usleep(pause);
	for (uint64_t from = 0; from < SIZE; from += gap) {
		const uint64_t end = from + gap < SIZE ? from + gap : SIZE;

		for (uint64_t offset = from + covered; offset < end; offset++) {
			offset = image_search_next(search, offset, end);
			while (at < place_count && places[at] < from + covered)
				at++;
			if (offset == end)
				break;
			wrong += at >= place_count || places[at] != offset;
			at++;
		}
		wrong += at < place_count && places[at] < end;
	}
	CHECK_INT(wrong, 0);
}

static void test_marks(void)
{
	cpu_set_t all;

	CHECK_INT(sched_getaffinity(0, sizeof(all), &all), 0);
	put_marks();
	for (int one = 0; one < 2; one++) {
		use_processors(one, &all);
		check_all(SIZE, 0, 0);
		check_all(SIZE, 0, 100000);
		check_all(SIZE, 13 * PART + 5, 0);
		check_all(3 * PART + 77, PART / 2, 0);
		check_all(PART, 0, 0);
		check_all(70001, 30003, 100000);
	}
	use_processors(false, &all);
}

/* How far it is grows up to the whole, and is nothing before and afterwards. */
static void test_reached(void)
{
	const struct input none = { 0 };
	struct image_search *search;
	uint64_t size, reached, last = 0;
	struct err e = { 0 };

	put_marks();
	CHECK_INT(image_search_reached(&size), 0);
	CHECK_INT(size, 0);
	CHECK_INT(image_search_start(&none, (struct bytes){ data, SIZE - 7 }, &search, &e), 0);
	for (uint64_t end = PART / 2; end < SIZE; end += PART) {
		image_search_next(search, end - 1, end);
		reached = image_search_reached(&size);
		CHECK_INT(size, SIZE - 7);
		CHECK(reached >= end && reached >= last && reached <= size);
		last = reached;
	}
	CHECK_INT(last, SIZE - 7);
	image_search_free(search);
	CHECK_INT(image_search_reached(&size), 0);
	CHECK_INT(size, 0);
}

/* A caller that ends early: the threads end, too. */
static void test_end(void)
{
	const struct input none = { 0 };
	struct err e = { 0 };

	put_marks();
	for (int i = 0; i < 8; i++) {
		CLEANUP(free_image_search) struct image_search *search = NULL;

		CHECK_INT(image_search_start(&none, (struct bytes){ data, SIZE }, &search, &e), 0);
		for (int k = 0; k < i; k++)
			CHECK_INT(image_search_next(search, k ? places[k - 1] + 1 : 0, SIZE),
				  places[k]);
	}
}

/* Fewer bytes than a block, or a mark. */
static void test_short(void)
{
	const struct input none = { 0 };
	struct err e = { 0 };

	for (size_t size = 0; size < 200; size++) {
		CLEANUP(free_image_search) struct image_search *search = NULL;
		const bool whole = size >= 20;

		memset(data, 0, 200);
		memcpy(data + (whole ? size - 20 : 0), marks[size % 4], whole ? 20 : size);
		CHECK_INT(image_search_start(&none, (struct bytes){ data, size }, &search, &e), 0);
		CHECK_INT(image_search_next(search, 0, size), whole ? size - 20 : size);
	}
}

int main(void)
{
	RUN(test_marks);
	RUN(test_reached);
	RUN(test_end);
	RUN(test_short);
	return tap_end();
}
