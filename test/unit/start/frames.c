/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The runtime of a stripped file, by the begins of its functions. */
#include "found.h"

#include "maker.h"

// clang-format off
#define AT(name, slot) { NAME_##name, slot },
static const struct {
	enum name name;
	unsigned slot;
} archive[] = {
#include "archive_13_0.def"
};
#undef AT
// clang-format on

enum { COUNT = sizeof(archive) / sizeof(*archive), CODE = 0x600000 };

static struct maker maker;
static struct found found;

static uint64_t place(size_t i)
{
	return CODE + 16 * (uint64_t)archive[i].slot;
}

/* All the archive's functions, two of a program's own before, one after, and one in the middle. */
static void make(void)
{
	maker_init(&maker);
	maker_begin(&maker, CODE);
	maker_begin(&maker, CODE + 16 * (uint64_t)archive[0].slot - 16);
	for (size_t i = 0; i < COUNT; i++) {
		maker_begin(&maker, place(i));
		if (i == 20)
			maker_begin(&maker, place(i) + 4);
	}
	maker_begin(&maker, place(COUNT - 1) + 0x1000);
}

static enum found_kind search(void)
{
	struct object object;

	if (CHECK(object_open(&object, maker_path(&maker))))
		found_search(&found, &object, maker.path);
	object_close(&object);
	return found.kind;
}

static void test_the_archive(void)
{
	make();
	CHECK_INT(search(), FOUND_RUNTIME);
	CHECK_STR(found.by, ".eh_frame");
	CHECK_INT(found.count, COUNT);
	CHECK_INT(found.low, place(0));
	CHECK_INT(found.high, place(COUNT - 1));
	CHECK_INT(found.newer_count, 0);
	for (size_t i = 0; i < COUNT; i++)
		CHECK_INT(found.at[archive[i].name], place(i));
}

/* A library of the archive alone has its functions, and no more. */
static void test_nothing_but_the_archive(void)
{
	struct object object;
	unsigned long pages;

	maker_init(&maker);
	for (size_t i = 0; i < COUNT; i++)
		maker_begin(&maker, place(i));
	CHECK_INT(search(), FOUND_RUNTIME);
	CHECK_INT(found.low, place(0));
	REQUIRE(object_open(&object, maker.path));
	pages = maker_pages();
	for (int i = 0; i < 100; i++)
		found_by_frames(&found, &object);
	CHECK_INT(maker_pages(), pages);
	object_close(&object);
}

/* Every name has a place in the archive, and places rise. */
static void test_the_table(void)
{
	CHECK_INT(COUNT, NAMES);
	for (size_t i = 1; i < COUNT; i++)
		CHECK(archive[i].slot > archive[i - 1].slot);
}

static void test_one_moved(void)
{
	static const size_t moved[] = { 2, 3, 200, COUNT + 2 };

	for (size_t i = 0; i < sizeof(moved) / sizeof(*moved); i++) {
		make();
		maker.begins[moved[i]][0] += 16;
		CHECK_INT(search(), FOUND_NONE);
		CHECK_INT(found.count, 0);
	}
}

static void test_not_at_a_multiple_of_16(void)
{
	make();
	for (size_t i = 0; i < maker.begin_count; i++)
		maker.begins[i][0] += 8;
	CHECK_INT(search(), FOUND_NONE);
}

static void test_one_missing(void)
{
	make();
	/* The last two are not there. */
	maker.begins_head[2] -= 2;
	CHECK_INT(search(), FOUND_NONE);
}

static void test_a_count_that_lies(void)
{
	static const uint32_t counts[] = { 0, 1, 2000, 0x20000000, UINT32_MAX };

	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
		make();
		maker.begins_head[2] = counts[i];
		CHECK_INT(search(), FOUND_NONE);
	}
}

static void test_other_encodings(void)
{
	static const uint32_t heads[] = { 0x3b031b02, 0x3b0b1b01, 0x1b031b01, 0xffffff01, 0 };

	for (size_t i = 0; i < sizeof(heads) / sizeof(*heads); i++) {
		make();
		maker.begins_head[0] = heads[i];
		CHECK_INT(search(), FOUND_NONE);
	}
}

/* Begins that do not rise are no reason to read elsewhere, or for ever. */
static void test_begins_that_do_not_rise(void)
{
	make();
	for (size_t i = 0; i < maker.begin_count / 2; i++) {
		const int32_t at = maker.begins[i][0];

		maker.begins[i][0] = maker.begins[maker.begin_count - 1 - i][0];
		maker.begins[maker.begin_count - 1 - i][0] = at;
	}
	CHECK_INT(search(), FOUND_NONE);
	make();
	for (size_t i = 0; i < maker.begin_count; i++)
		maker.begins[i][0] = INT32_MIN;
	CHECK_INT(search(), FOUND_NONE);
}

static void test_no_begins(void)
{
	maker_init(&maker);
	CHECK_INT(search(), FOUND_NONE);
}

/* Some of its names are there: it is not stripped, and something else. */
static void test_symbols_come_first(void)
{
	make();
	maker_symbol(&maker, "cudaMalloc", CODE);
	CHECK_INT(search(), FOUND_NONE);
	make();
	maker_runtime(&maker, NAMES);
	CHECK_INT(search(), FOUND_RUNTIME);
	CHECK_STR(found.by, ".symtab");
}

int main(void)
{
	RUN(test_the_archive);
	RUN(test_nothing_but_the_archive);
	RUN(test_the_table);
	RUN(test_one_moved);
	RUN(test_not_at_a_multiple_of_16);
	RUN(test_one_missing);
	RUN(test_a_count_that_lies);
	RUN(test_other_encodings);
	RUN(test_begins_that_do_not_rise);
	RUN(test_no_begins);
	RUN(test_symbols_come_first);
	maker_release(&maker);
	return tap_end();
}
