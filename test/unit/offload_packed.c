/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Offload binaries of version 3: plain ones, and those that are compressed as a whole. */
#include "offload.h"
#include "fixture.h"

#include <zlib.h>
#include <zstd.h>

/* Offsets in vadd.v3.offload and those made of it. */
enum {
	SIZE = 8,
	ENTRIES = 16,
	COUNT = 24,
	INFLATED = 32,
	BODY = 40, /* the header's size */
	STRINGS = BODY + 8,
	IMAGE = BODY + 24,
};

static struct offload *open_at(struct bytes bytes, uint64_t offset)
{
	struct offload *offload = NULL;

	CHECK_INT(offload_open(bytes, offset, &offload, NULL), 0);
	return offload;
}

/* Makes vadd.v3.offload once more, compressed anew by the codec's own library. */
static struct fixture pack(enum image_codec codec)
{
	CLEANUP(fixture_release) struct fixture plain = fixture("vadd.v3.offload");
	struct fixture file = { calloc(2, plain.size), 0 };
	uLongf zlib = plain.size;
	size_t size;

	if (!file.data)
		abort();
	if (codec == CODEC_ZSTD)
		size = ZSTD_compress(file.data + BODY, plain.size, plain.data + BODY,
				     plain.size - BODY, 3);
	else
		size = compress(file.data + BODY, &zlib, plain.data + BODY,
				plain.size - BODY) == Z_OK ? zlib : 0;
	file.size = (BODY + size + 7) & ~(size_t)7;
	memcpy(file.data, plain.data, BODY);
	store_u64(file.data + SIZE, file.size);
	store_u64(file.data + INFLATED, plain.size);
	return file;
}

static void check_entries(const struct offload *offload, const uint8_t *data)
{
	CHECK_INT(offload->damage.code, 0);
	REQUIRE(CHECK_INT(offload->count, 2));
	CHECK(bytes_begin(offload_value(&offload->entries[0], "arch"), "sm_75", 5));
	CHECK(bytes_begin(offload->entries[0].image, ".version 9.0", 12));
	CHECK_INT(offload->entries[1].image.size, 3848);
	CHECK(bytes_begin(offload->entries[1].image, "\x7f" "ELF", 4));
	CHECK(data + offload->entries[1].offset == offload->entries[1].image.data);
}

static void test_plain(void)
{
	CLEANUP(fixture_release) struct fixture file = fixture("vadd.v3.offload");
	CLEANUP(free_offload) struct offload *offload = open_at(bytes_of(&file), 0);

	CHECK_INT(offload->codec, CODEC_NONE);
	CHECK_INT(offload->end, file.size);
	check_entries(offload, file.data);
}

/* Unpacks it, and compares with the plain one. */
static void check_packed(const struct fixture *file, enum image_codec codec)
{
	CLEANUP(fixture_release) struct fixture plain = fixture("vadd.v3.offload");
	CLEANUP(free_offload) struct offload *packed = open_at(bytes_of(file), 0), *offload = NULL;
	CLEANUP(free_pointer) uint8_t *bytes = NULL;

	CHECK_INT(packed->damage.code, 0);
	CHECK_INT(packed->count, 0);
	CHECK_INT(packed->codec, codec);
	CHECK_INT(packed->end, file->size);
	REQUIRE(CHECK_INT(packed->size, plain.size));
	REQUIRE(CHECK_INT(offload_unpack(packed, &bytes, NULL), 0));
	CHECK(!memcmp(bytes, plain.data, plain.size));
	offload = open_at((struct bytes){ bytes, packed->size }, 0);
	check_entries(offload, bytes);
}

static void test_codecs(void)
{
	CLEANUP(fixture_release) struct fixture zstd = fixture("vadd.zstd.offload");
	CLEANUP(fixture_release) struct fixture zlib = fixture("vadd.zlib.offload");
	CLEANUP(fixture_release) struct fixture zstd_now = pack(CODEC_ZSTD);
	CLEANUP(fixture_release) struct fixture zlib_now = pack(CODEC_ZLIB);

	check_packed(&zstd, CODEC_ZSTD);
	check_packed(&zlib, CODEC_ZLIB);
	check_packed(&zstd_now, CODEC_ZSTD);
	check_packed(&zlib_now, CODEC_ZLIB);
}

/* One behind the other, as a linker leaves them: each is told of by its own offset. */
static void test_series(void)
{
	CLEANUP(fixture_release) struct fixture zstd = fixture("vadd.zstd.offload");
	CLEANUP(fixture_release) struct fixture plain = fixture("vadd.v3.offload");
	CLEANUP(free_pointer) uint8_t *both = malloc(zstd.size + plain.size);
	CLEANUP(free_offload) struct offload *first = NULL, *second = NULL;
	struct bytes bytes = { both, zstd.size + plain.size };

	REQUIRE(both != NULL);
	memcpy(both, zstd.data, zstd.size);
	memcpy(both + zstd.size, plain.data, plain.size);
	first = open_at(bytes, 0);
	CHECK_INT(first->codec, CODEC_ZSTD);
	CHECK_INT(first->end, zstd.size);
	second = open_at(bytes, first->end);
	check_entries(second, both);
	CHECK_INT(second->end, bytes.size);
}

/* Sets a number of fixture @name, and expects no more than @damage. */
static void damaged(const char *name, size_t at, uint64_t value, const char *damage)
{
	CLEANUP(fixture_release) struct fixture file = fixture(name);
	CLEANUP(free_offload) struct offload *offload = NULL;

	store_u64(file.data + at, value);
	offload = open_at(bytes_of(&file), 0);
	CHECK_INT(offload->codec, CODEC_NONE);
	CHECK_INT(offload->damage.code, GPURUN_FORMAT);
	CHECK_HAS(offload->damage.text, damage);
	CHECK(offload->end > 0 && offload->end <= file.size);
}

static void test_damaged_header(void)
{
	static const char plain[] = "vadd.v3.offload", zstd[] = "vadd.zstd.offload";

	damaged(plain, SIZE, 39, "offset 0: offload binary of 39 bytes in 5120");
	damaged(plain, ENTRIES, 39, "offset 0: entries, in number 3 at 0x27, inside the header "
				    "of 40 bytes");
	damaged(plain, COUNT, ((uint64_t)1 << 61) + 1, "offset 0: entries, in number 23058430");
	damaged(plain, STRINGS, UINT64_MAX, "offset 0x28: 2 strings at 0xffffffffffffffff");
	damaged(plain, IMAGE, UINT64_MAX - 8, "offset 0x28: image of 909 bytes at 0xfffffff");
	damaged(plain, INFLATED, 5120, "offset 0x28: expected zstd or zlib data of an offload "
				       "binary, found 5080 bytes that begin with 05 00 02 00");
	damaged(zstd, INFLATED, 39, "offset 0: offload binary that unpacks to 39 bytes, its "
				    "header alone has 40");
	damaged(zstd, SIZE, 40, "offset 0x28: expected zstd or zlib data of an offload binary, "
				"found 0 bytes that begin with 00 00 00 00");
	damaged(zstd, SIZE, 1 << 20, "offset 0: offload binary of 1048576 bytes in 1464");
	damaged(zstd, BODY, 0, "found 1424 bytes that begin with 00 00 00 00");
	/* Not compressed: what is the stream is no entry. */
	damaged(zstd, INFLATED, 0, "offset 0x28: ");
}

/* Unpacks @file, which has to fail with @problem. */
static void refused(const struct fixture *file, const char *problem)
{
	CLEANUP(free_offload) struct offload *packed = open_at(bytes_of(file), 0);
	uint8_t *plain = (uint8_t *)file;
	struct err e = { 0 };

	CHECK_INT(packed->damage.code, 0);
	REQUIRE(packed->codec != CODEC_NONE);
	CHECK_INT(offload_unpack(packed, &plain, &e), GPURUN_FORMAT);
	CHECK(!plain);
	CHECK_HAS(e.text, problem);
}

/* The size that a header promises is what comes out of the stream. */
static void test_lies(void)
{
	CLEANUP(fixture_release) struct fixture zstd = fixture("vadd.zstd.offload");
	CLEANUP(fixture_release) struct fixture zlib = fixture("vadd.zlib.offload");

	store_u64(zstd.data + INFLATED, 5121);
	refused(&zstd, "of zstd data cannot unpack to 5081 bytes");
	store_u64(zstd.data + INFLATED, 5119);
	refused(&zstd, "zstd data gives more than 5079 bytes, which were expected");
	store_u64(zstd.data + INFLATED, UINT64_MAX);
	refused(&zstd, "image of 18446744073709551575 bytes, the largest to be decompressed is");
	store_u64(zstd.data + INFLATED, 40);
	refused(&zstd, "zstd data gives more than 0 bytes, which were expected");
	store_u64(zlib.data + INFLATED, 5121);
	refused(&zlib, "zlib data gave 5080 bytes, expected 5081");
	store_u64(zlib.data + INFLATED, 5119);
	refused(&zlib, "zlib data gives more than 5079 bytes, which were expected");
	store_u64(zlib.data + INFLATED, 4 << 20);
	refused(&zlib, "of zlib data cannot unpack to 4194264 bytes");
}

/* Streams that were cut, and the header does not show it. */
static void test_cut_streams(void)
{
	for (int i = 0; i < 2; i++) {
		CLEANUP(fixture_release) struct fixture file =
			pack(i ? CODEC_ZLIB : CODEC_ZSTD);

		/* The least that is known for a stream, and all but the padding and a bit. */
		for (uint64_t size = BODY + 8; size < file.size - 8; size++) {
			store_u64(file.data + SIZE, size);
			refused(&file, i ? "zlib data" : "zstd data");
		}
	}
}

static void test_damaged_streams(void)
{
	CLEANUP(fixture_release) struct fixture zstd = fixture("vadd.zstd.offload");
	CLEANUP(fixture_release) struct fixture zlib = fixture("vadd.zlib.offload");

	/* The first block's header: literals have no check of their own. */
	memset(zstd.data + BODY + 6, 0xff, 64);
	refused(&zstd, "damaged zstd data");
	memset(zlib.data + 200, 0xff, 64);
	refused(&zlib, "damaged zlib data");
}

static void test_truncated(void)
{
	static const char *const names[] = { "vadd.v3.offload", "vadd.zstd.offload",
					     "vadd.zlib.offload" };

	for (size_t i = 0; i < 3; i++) {
		CLEANUP(fixture_release) struct fixture file = fixture(names[i]);

		for (size_t size = 4; size < file.size; size++) {
			CLEANUP(free_offload) struct offload *offload = NULL;
			CLEANUP(free_pointer) uint8_t *part = malloc(size);
			struct bytes bytes = { part, size };

			REQUIRE(part != NULL);
			memcpy(part, file.data, size);
			REQUIRE(!offload_open(bytes, 0, &offload, NULL));
			CHECK_INT(offload->damage.code, GPURUN_FORMAT);
			CHECK_INT(offload->codec, CODEC_NONE);
			CHECK_INT(offload->end, size);
		}
	}
}

int main(void)
{
	RUN(test_plain);
	RUN(test_codecs);
	RUN(test_series);
	RUN(test_damaged_header);
	RUN(test_lies);
	RUN(test_cut_streams);
	RUN(test_damaged_streams);
	RUN(test_truncated);
	return tap_end();
}
