/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "fatbin.h"
#include "fixture.h"

/* Offsets in stored.fatbin: the first entry and its fields. */
enum {
	ENTRY = 16,
	HEADER_SIZE = ENTRY + 4,
	PADDED_SIZE = ENTRY + 8,
	COMPRESSED_SIZE = ENTRY + 16,
	FLAGS = ENTRY + 40,
	FULL_SIZE = ENTRY + 56,
};

static struct fatbin *open_whole(const char *name)
{
	static struct fixture file;
	struct fatbin *fatbin = NULL;

	fixture_release(&file);
	file = fixture(name);
	CHECK_INT(fatbin_open(bytes_of(&file), 0, &fatbin, NULL), 0);
	if (fatbin && !CHECK_INT(fatbin->damage.code, 0))
		printf("#   %s\n", fatbin->damage.text);
	CHECK_INT(fatbin->end, file.size);
	return fatbin;
}

static void test_stored(void)
{
	CLEANUP(free_fatbin) struct fatbin *fatbin = open_whole("stored.fatbin");
	const struct fatbin_entry *e = fatbin->entries;

	REQUIRE(CHECK_INT(fatbin->count, 2));
	CHECK_INT(e[0].kind, FATBIN_CUBIN);
	CHECK_INT(e[0].arch, 90);
	CHECK_INT(e[0].suffix, 0);
	CHECK_INT(e[0].codec, CODEC_NONE);
	CHECK(e[0].wide && !e[0].obfuscated);
	CHECK_INT(e[0].offset, 0x50);
	CHECK(!memcmp(e[0].payload.data,
		      "\x7f"
		      "ELF",
		      4));
	CHECK_INT(e[1].kind, FATBIN_PTX);
	CHECK_INT(e[1].arch, 75);
	CHECK_INT(e[1].major, 9);
	CHECK_INT(e[1].minor, 0);
	CHECK(!memcmp(e[1].payload.data, ".version 9.0", 12));
}

static void check_codec(const char *name, enum image_codec codec)
{
	CLEANUP(free_fatbin) struct fatbin *fatbin = open_whole(name);

	REQUIRE(CHECK_INT(fatbin->count, 2));
	for (size_t i = 0; i < 2; i++) {
		CLEANUP(free_pointer) uint8_t *out = NULL;
		const struct fatbin_entry *e = &fatbin->entries[i];

		CHECK_INT(e->codec, codec);
		REQUIRE(!decompress(e->codec, e->payload, e->size, &out, NULL));
		CHECK(!memcmp(out,
			      i ? ".version"
				: "\x7f"
				  "ELF",
			      i ? 8 : 4));
		CHECK_INT(out[e->size - 1], 0);
	}
	CHECK_INT(fatbin->entries[0].size, 3848);
}

static void test_codecs(void)
{
	check_codec("zlib.fatbin", CODEC_ZLIB);
	check_codec("lz4.fatbin", CODEC_LZ4);
	check_codec("lz4hc.fatbin", CODEC_LZ4);
	check_codec("lz4frame.fatbin", CODEC_LZ4_FRAME);
	check_codec("zstd.fatbin", CODEC_ZSTD);
}

static void test_suffixes(void)
{
	CLEANUP(free_fatbin) struct fatbin *fatbin = open_whole("many.fatbin");

	REQUIRE(CHECK_INT(fatbin->count, 6));
	CHECK(fatbin->entries[2].arch == 90 && fatbin->entries[2].suffix == 'a');
	CHECK(fatbin->entries[3].arch == 100 && fatbin->entries[3].suffix == 'f');
	CHECK(fatbin->entries[4].arch == 120 && fatbin->entries[4].suffix == 0);
}

static void test_other_entries(void)
{
	CLEANUP(free_fatbin) struct fatbin *named = open_whole("ident.fatbin");
	CLEANUP(free_fatbin) struct fatbin *narrow = open_whole("narrow.fatbin");
	CLEANUP(free_fatbin) struct fatbin *ltoir = open_whole("ltoir.fatbin");

	CHECK_INT(named->count, 2);
	CHECK(!narrow->entries[0].wide);
	CHECK(ltoir->entries[0].kind == FATBIN_LTOIR && ltoir->entries[0].obfuscated);
}

static void test_two_containers(void)
{
	CLEANUP(fixture_release) struct fixture file = fixture("two.fatbin");
	CLEANUP(free_fatbin) struct fatbin *first = NULL, *second = NULL;

	REQUIRE(!fatbin_open(bytes_of(&file), 0, &first, NULL));
	CHECK(fatbin_sniff(bytes_of(&file), first->end));
	REQUIRE(!fatbin_open(bytes_of(&file), first->end, &second, NULL));
	CHECK_INT(second->entries[0].offset, first->end + 0x50);
	CHECK_INT(second->end, file.size);
}

static void test_no_container(void)
{
	struct bytes bytes = {
		(const uint8_t *)"\x50\xED\x55\xBA\1\0\x10\0\0\0\0\0\0\0\0", 15
	};
	struct fatbin *fatbin;
	struct err e = { 0 };

	CHECK_INT(fatbin_open(bytes, 0, &fatbin, &e), GPURUN_FORMAT);
	CHECK(!fatbin);
	CHECK_STR(e.text, "offset 0: expected a fatbin");
	CHECK(!fatbin_sniff(bytes, UINT64_MAX));
}

static void test_truncated(void)
{
	CLEANUP(fixture_release) struct fixture file = fixture("stored.fatbin");

	/* Cut anywhere, what is before the cut is read, and the damage told. */
	for (size_t size = 16; size < file.size; size += 7) {
		CLEANUP(free_fatbin) struct fatbin *fatbin = NULL;

		REQUIRE(!fatbin_open((struct bytes){ file.data, size }, 0, &fatbin,
				     NULL));
		CHECK_INT(fatbin->damage.code, GPURUN_FORMAT);
		CHECK_INT(fatbin->count, size >= 0x50 + 3848);
		CHECK(fatbin->end <= size);
	}
}

/* A container that says one byte more than the file has. */
static void test_one_byte_more(void)
{
	CLEANUP(fixture_release) struct fixture file = fixture("stored.fatbin");
	CLEANUP(free_fatbin) struct fatbin *fatbin = NULL;
	uint64_t size = file.size - 16 + 1;

	store_u64(file.data + 8, size);
	REQUIRE(!fatbin_open(bytes_of(&file), 0, &fatbin, NULL));
	CHECK_INT(fatbin->damage.code, GPURUN_FORMAT);
	CHECK_HAS(fatbin->damage.text, "offset 0: fatbin of ");
	CHECK_INT(fatbin->count, 2); /* as without the damage */
}

/* Opens stored.fatbin with a field of its first entry changed. */
static void check_damage(size_t offset, uint64_t value, size_t width, const char *words)
{
	CLEANUP(fixture_release) struct fixture file = fixture("stored.fatbin");
	CLEANUP(free_fatbin) struct fatbin *fatbin = NULL;

	if (width == 8)
		store_u64(file.data + offset, value);
	else
		store_u32(file.data + offset, (uint32_t)value);
	REQUIRE(!fatbin_open(bytes_of(&file), 0, &fatbin, NULL));
	CHECK_INT(fatbin->damage.code, GPURUN_FORMAT);
	CHECK_STR(fatbin->damage.text, words);
	CHECK_INT(fatbin->count, 0);
}

static void test_damage(void)
{
	check_damage(HEADER_SIZE, 56, 4,
		     "offset 0x10: entry header of 56 bytes, expected at least 64");
	check_damage(HEADER_SIZE, UINT32_MAX, 4,
		     "offset 0x10: entry of 4294971143 bytes in 4848");
	check_damage(PADDED_SIZE, UINT64_MAX - 8, 8,
		     "offset 0x10: entry of 18446744073709551615 bytes in 4848");
	check_damage(FLAGS, 0x3011, 8,
		     "offset 0x10: entry flags 0x3011 with a compressed size of 0, "
		     "expected one "
		     "codec or none");
	check_damage(FLAGS, 0x8011, 8,
		     "offset 0x10: entry flags 0x8011 with a compressed size of 0, "
		     "expected one "
		     "codec or none");
	check_damage(COMPRESSED_SIZE, 12, 4,
		     "offset 0x10: entry flags 0x11 with a compressed size of 12, "
		     "expected one "
		     "codec or none");
}

static void test_compressed_larger_than_entry(void)
{
	CLEANUP(fixture_release) struct fixture file = fixture("zstd.fatbin");
	CLEANUP(free_fatbin) struct fatbin *fatbin = NULL;

	store_u32(file.data + COMPRESSED_SIZE, 1100);
	REQUIRE(!fatbin_open(bytes_of(&file), 0, &fatbin, NULL));
	CHECK_STR(fatbin->damage.text,
		  "offset 0x10: compressed image of 1100 bytes in an entry of 1048");
}

int main(void)
{
	RUN(test_stored);
	RUN(test_codecs);
	RUN(test_suffixes);
	RUN(test_other_entries);
	RUN(test_two_containers);
	RUN(test_no_container);
	RUN(test_truncated);
	RUN(test_one_byte_more);
	RUN(test_damage);
	RUN(test_compressed_larger_than_entry);
	return tap_end();
}
