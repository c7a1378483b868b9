/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "offload.h"
#include "fixture.h"

/* Offsets in vadd.v1.offload: the header, the entry, its strings. */
enum {
	VERSION = 4,
	SIZE = 8,
	ENTRIES = 16,
	ENTRY_SIZE = 24,
	ENTRY = 32,
	FLAGS = ENTRY + 4,
	STRINGS = ENTRY + 8,
	STRING_COUNT = ENTRY + 16,
	IMAGE = ENTRY + 24,
	IMAGE_SIZE = ENTRY + 32,
	KEY = ENTRY + 40,
	VALUE = KEY + 8,
};

/* In vadd.v2.offload: the second of its three entries is of metadata alone. */
enum {
	COUNT = 24,
	SECOND_FLAGS = ENTRY + 40 + 4,
	KEY2 = ENTRY + 3 * 40,
	VALUE_SIZE2 = KEY2 + 16,
};

static struct offload *open_at(const struct fixture *file, uint64_t offset)
{
	struct offload *offload = NULL;

	CHECK_INT(offload_open(bytes_of(file), offset, &offload, NULL), 0);
	return offload;
}

static void check_value(const struct offload_entry *entry, const char *key,
			const char *value)
{
	struct bytes found = offload_value(entry, key);

	CHECK_INT(found.size, strlen(value));
	CHECK(!memcmp(found.data, value, strlen(value)));
}

static void test_version_1(void)
{
	CLEANUP(fixture_release) struct fixture file = fixture("vadd.v1.offload");
	CLEANUP(free_offload) struct offload *first = open_at(&file, 0), *second = NULL;
	const struct offload_entry *entry = first->entries;

	CHECK_INT(first->damage.code, 0);
	REQUIRE(CHECK_INT(first->count, 1));
	CHECK_INT(entry->kind, 5);
	CHECK_STR(offload_producer(entry), "cuda");
	CHECK_INT(entry->string_count, 3);
	CHECK(bytes_begin(entry->arch, "sm_", 3));
	check_value(entry, "triple", "nvptx64-nvidia-cuda");
	check_value(entry, "arch", "sm_75");
	check_value(entry, "note", "first");
	CHECK_INT(offload_value(entry, "no").size, 0);
	CHECK_INT(entry->image.size, 909);
	CHECK(!memcmp(entry->image.data, ".version 9.0", 12));
	CHECK(file.data + entry->offset == entry->image.data);

	CHECK(offload_sniff(bytes_of(&file), first->end));
	second = open_at(&file, first->end);
	REQUIRE(CHECK_INT(second->count, 1));
	CHECK_STR(offload_producer(second->entries), "openmp");
	check_value(second->entries, "arch", "sm_90");
	CHECK(bytes_begin(second->entries->image, "\x7f" "ELF", 4));
	CHECK_INT(second->end, file.size);
}

/* Several entries, values with sizes of their own, strings that share their ends. */
static void test_version_2(void)
{
	CLEANUP(fixture_release) struct fixture file = fixture("vadd.v2.offload");
	CLEANUP(free_offload) struct offload *offload = open_at(&file, 0);

	CHECK_INT(offload->damage.code, 0);
	REQUIRE(CHECK_INT(offload->count, 2));
	CHECK_STR(offload_producer(&offload->entries[0]), "cuda");
	check_value(&offload->entries[0], "triple", "nvptx64-nvidia-cuda");
	check_value(&offload->entries[0], "arch", "sm_75");
	check_value(&offload->entries[1], "arch", "sm_90");
	CHECK_INT(offload->entries[1].image.size, 3848);
	CHECK_INT(offload->end, file.size);
}

static void test_shared_ends(void)
{
	CLEANUP(fixture_release) struct fixture file = fixture("vadd.v1.offload");
	CLEANUP(free_offload) struct offload *offload = NULL;

	/* The key "arch" becomes the "h" at its end. */
	store_u64(file.data + KEY, load_u64(file.data + KEY) + 3);
	offload = open_at(&file, 0);
	check_value(&offload->entries[0], "h", "sm_75");
}

static void test_metadata_only(void)
{
	CLEANUP(fixture_release) struct fixture two = fixture("vadd.v2.offload");
	CLEANUP(fixture_release) struct fixture one = fixture("vadd.v1.offload");
	CLEANUP(free_offload) struct offload *kept = NULL, *flagged = NULL;

	two.data[SECOND_FLAGS] = 0;
	kept = open_at(&two, 0);
	CHECK_INT(kept->count, 3);
	CHECK_INT(kept->entries[1].image.size, 0);
	/* Version 1 gives its flags no meaning. */
	one.data[FLAGS] = 1;
	flagged = open_at(&one, 0);
	CHECK_INT(flagged->count, 1);
}

static void test_producers(void)
{
	struct offload_entry entry = { 0 };

	CHECK_STR(offload_producer(&entry), "none");
	entry.producer = 4;
	CHECK_STR(offload_producer(&entry), "hip");
	entry.producer = 8;
	CHECK_STR(offload_producer(&entry), "sycl");
	entry.producer = 3;
	CHECK_STR(offload_producer(&entry), "none");
	entry.producer = 65535;
	CHECK_STR(offload_producer(&entry), "none");
}

/* Sets a number of fixture @name, and expects @count entries and @damage. */
static void damaged(const char *name, size_t at, uint64_t value, size_t count,
		    const char *damage)
{
	CLEANUP(fixture_release) struct fixture file = fixture(name);
	CLEANUP(free_offload) struct offload *offload = NULL;

	store_u64(file.data + at, value);
	offload = open_at(&file, 0);
	CHECK_INT(offload->count, count);
	CHECK_INT(offload->damage.code, GPURUN_FORMAT);
	CHECK_HAS(offload->damage.text, damage);
	CHECK(offload->end > 0 && offload->end <= file.size);
}

static void test_damaged_header(void)
{
	static const char one[] = "vadd.v1.offload", two[] = "vadd.v2.offload";

	damaged(one, SIZE, 31, 0, "offset 0: offload binary of 31 bytes in 5080");
	damaged(one, SIZE, 5081, 1, "offset 0: offload binary of 5081 bytes in 5080");
	damaged(one, SIZE, UINT64_MAX, 1, "offset 0: offload binary of 18446744073709551615");
	damaged(one, ENTRIES, 1 << 20, 0, "offset 0: entry of size 40 at 0x100000");
	damaged(one, ENTRIES, UINT64_MAX, 0, "offset 0: entry of size 40 at 0xffff");
	damaged(one, ENTRIES, 31, 0, "offset 0: entry of size 40 at 0x1f, inside the header of "
				     "32 bytes");
	damaged(one, ENTRY_SIZE, 39, 0, "offset 0: entry of size 39 at 0x20");
	damaged(two, COUNT, 1000, 0, "offset 0: entries, in number 1000 at 0x20");
	damaged(two, COUNT, UINT64_MAX, 0, "offset 0: entries, in number 1844");
	/* 40 times that is 80. */
	damaged(two, COUNT, ((uint64_t)1 << 61) + 2, 0, "offset 0: entries, in number 2305843");
	damaged(two, ENTRIES, 0, 0, "offset 0: entries, in number 3 at 0, inside the header of");
}

static void test_damaged_entry(void)
{
	static const char one[] = "vadd.v1.offload", two[] = "vadd.v2.offload";

	damaged(one, IMAGE, 1 << 20, 0, "offset 0x20: image of 909 bytes at 0x100000");
	damaged(one, IMAGE, UINT64_MAX, 0, "offset 0x20: image of 909 bytes at 0xffff");
	damaged(one, IMAGE_SIZE, 1 << 20, 0, "offset 0x20: image of 1048576 bytes at");
	damaged(one, STRINGS, 1 << 20, 0, "offset 0x20: 3 strings at 0x100000 in an");
	damaged(one, STRING_COUNT, 1 << 20, 0, "offset 0x20: 1048576 strings at 0x48");
	damaged(one, STRING_COUNT, UINT64_MAX, 0, "offset 0x20: 18446744073709551615 str");
	damaged(one, KEY, UINT64_MAX, 0, "offset 0x20: key at 0xffffffffffffffff");
	damaged(one, VALUE, 1 << 20, 0, "offset 0x20: value of arch at 0x100000");
	damaged(two, VALUE_SIZE2, UINT64_MAX, 1, "offset 0x20: value of triple at");
	damaged(one, IMAGE_SIZE, UINT64_MAX - 0x100, 0, "offset 0x20: image of 1844");
	damaged(two, KEY2, 1 << 20, 1, "offset 0x20: key at 0x100000");
}

/* Entries that claim the same bytes would make a small file ask for any amount of time. */
static void test_overlap(void)
{
	CLEANUP(fixture_release) struct fixture file = fixture("vadd.v2.offload");
	CLEANUP(free_offload) struct offload *offload = NULL;

	store_u64(file.data + IMAGE, 0);
	store_u64(file.data + IMAGE_SIZE, file.size);
	offload = open_at(&file, 0);
	REQUIRE(CHECK_INT(offload->count, 1));
	CHECK_INT(offload->entries[0].image.size, file.size);
	CHECK_HAS(offload->damage.text, "image of 3848 bytes");
}

/* Makes @count strings of version @version, each of @size bytes, the same ones. */
static struct fixture same_strings(unsigned version, size_t count, size_t size)
{
	const size_t stride = version == 1 ? 16 : 24, text = KEY + count * stride;
	struct fixture file = { calloc(1, text + size + 1), text + size + 1 };

	if (!file.data)
		abort();
	store_u32(file.data, 0xAD10FF10);
	file.data[VERSION] = (uint8_t)version;
	store_u64(file.data + SIZE, file.size);
	store_u64(file.data + ENTRIES, ENTRY);
	store_u64(file.data + ENTRY_SIZE, version == 1 ? 40 : 1);
	store_u64(file.data + STRINGS, KEY);
	store_u64(file.data + STRING_COUNT, count);
	for (size_t i = 0; i < count; i++) {
		store_u64(file.data + KEY + i * stride, text + size - 1);
		store_u64(file.data + KEY + i * stride + 8, text);
		if (version != 1)
			store_u64(file.data + KEY + i * stride + 16, size);
	}
	memset(file.data + text, 'x', size);
	return file;
}

/* Strings may share their bytes; too many of the same would be megabytes to print. */
static void test_repeated_strings(void)
{
	for (unsigned version = 1; version <= 2; version++) {
		CLEANUP(fixture_release) struct fixture few = same_strings(version, 8, 4096);
		CLEANUP(fixture_release) struct fixture many =
			same_strings(version, 200, 4096);
		CLEANUP(free_offload) struct offload *good = open_at(&few, 0), *bad = NULL;

		CHECK_INT(good->damage.code, 0);
		REQUIRE(CHECK_INT(good->count, 1));
		CHECK_INT(offload_value(good->entries, "x").size, 4096);
		bad = open_at(&many, 0);
		CHECK_INT(bad->count, 0);
		CHECK_HAS(bad->damage.text, "value of x at");
	}
}

/* All strings together may have 16 times the bytes of the file, and not one more. */
static void test_most_strings(void)
{
	/* 17 strings of a key of one byte: 17 * (1 + size) is 16 times 73 + 17 * stride + size. */
	static const size_t sizes[] = { [1] = 5503, [2] = 7679 };

	for (unsigned version = 1; version <= 2; version++) {
		CLEANUP(fixture_release) struct fixture most =
			same_strings(version, 17, sizes[version]);
		CLEANUP(fixture_release) struct fixture more =
			same_strings(version, 17, sizes[version] + 1);
		CLEANUP(free_offload) struct offload *good = open_at(&most, 0), *bad = NULL;

		CHECK_INT(17 * (1 + sizes[version]), 16 * most.size);
		CHECK_INT(good->damage.code, 0);
		CHECK_INT(good->count, 1);
		bad = open_at(&more, 0);
		CHECK_INT(bad->count, 0);
		CHECK_HAS(bad->damage.text, "value of x at");
	}
}

static void test_unended_strings(void)
{
	CLEANUP(fixture_release) struct fixture file = fixture("vadd.v1.offload");
	CLEANUP(free_offload) struct offload *offload = NULL;

	store_u64(file.data + SIZE, load_u64(file.data + VALUE) + 3);
	store_u64(file.data + IMAGE_SIZE, 0);
	store_u64(file.data + IMAGE, 0);
	offload = open_at(&file, 0);
	CHECK_INT(offload->count, 0);
	CHECK_INT(offload->damage.code, GPURUN_FORMAT);
}

static void test_versions(void)
{
	static const uint32_t others[] = { 0, 4, UINT32_MAX };
	CLEANUP(fixture_release) struct fixture file = fixture("vadd.v3.offload");

	for (size_t i = 0; i < 3; i++) {
		CLEANUP(free_offload) struct offload *offload = NULL;
		char want[100];

		snprintf(want, sizeof(want),
			 "offset 0: offload binary version %u; versions 1 to 3 are read", others[i]);
		store_u32(file.data + VERSION, others[i]);
		offload = open_at(&file, 0);
		CHECK_INT(offload->count, 0);
		CHECK_STR(offload->damage.text, want);
		CHECK_STR(offload->damage.hint,
			  "pack it anew with llvm-offload-binary of LLVM 22 or 23");
		/* It says where the next one begins. */
		CHECK_INT(offload->end, file.size);
	}
}

static void test_truncated(void)
{
	CLEANUP(fixture_release) struct fixture file = fixture("vadd.v2.offload");

	for (size_t size = 4; size < file.size; size++) {
		CLEANUP(free_offload) struct offload *offload = NULL;

		REQUIRE(!offload_open((struct bytes){ file.data, size }, 0, &offload, NULL));
		CHECK_INT(offload->damage.code, GPURUN_FORMAT);
		CHECK_INT(offload->end, size);
	}
}

static void test_none(void)
{
	struct offload *offload;
	struct err e = { 0 };
	struct bytes bytes = { (const uint8_t *)"\x10\xFF\x10\xAE", 4 };

	CHECK_INT(offload_open(bytes, 0, &offload, &e), GPURUN_FORMAT);
	CHECK(!offload);
	CHECK_STR(e.text, "offset 0: expected an offload binary");
	CHECK(!offload_sniff(bytes, 1));
	CHECK(!offload_sniff(bytes, UINT64_MAX));
}

int main(void)
{
	RUN(test_version_1);
	RUN(test_version_2);
	RUN(test_shared_ends);
	RUN(test_metadata_only);
	RUN(test_producers);
	RUN(test_damaged_header);
	RUN(test_damaged_entry);
	RUN(test_overlap);
	RUN(test_repeated_strings);
	RUN(test_most_strings);
	RUN(test_unended_strings);
	RUN(test_versions);
	RUN(test_truncated);
	RUN(test_none);
	return tap_end();
}
