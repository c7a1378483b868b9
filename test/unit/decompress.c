/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "decompress.h"
#include "cleanup.h"
#include "tap.h"

#include <lz4.h>
#include <lz4frame.h>
#include <zlib.h>
#include <zstd.h>

enum { SIZE = 10000, ROOM = 20000 };

static uint8_t plain[SIZE], packed[ROOM];

/* Packs the plain bytes, as every codec's own library does it. */
static struct bytes pack(enum image_codec codec)
{
	uLongf zlib_size = ROOM;
	size_t size = 0;

	switch (codec) {
	case CODEC_NONE:
		break;
	case CODEC_ZLIB:
		compress(packed, &zlib_size, plain, SIZE);
		size = zlib_size;
		break;
	case CODEC_LZ4:
		size = (size_t)LZ4_compress_default((char *)plain, (char *)packed, SIZE,
						    ROOM);
		break;
	case CODEC_LZ4_FRAME:
		size = LZ4F_compressFrame(packed, ROOM, plain, SIZE, NULL);
		break;
	case CODEC_ZSTD:
		size = ZSTD_compress(packed, ROOM, plain, SIZE, 3);
		break;
	}
	return (struct bytes){ packed, size };
}

static void check_codec(enum image_codec codec)
{
	CLEANUP(free_pointer) uint8_t *out = NULL;
	struct bytes bytes = pack(codec);
	struct err e = { 0 };

	CHECK_INT(decompress(codec, bytes, SIZE, &out, &e), 0);
	CHECK(out && !memcmp(out, plain, SIZE) && !out[SIZE]);
	free(STEAL(out));

	CHECK_INT(decompress(codec, bytes, SIZE + 1, &out, &e), GPURUN_FORMAT);
	CHECK(!out);
	CHECK_HAS(e.text, codec_name(codec));
	CHECK_INT(decompress(codec, bytes, SIZE - 1, &out, &e), GPURUN_FORMAT);
	bytes.size /= 2;
	CHECK_INT(decompress(codec, bytes, SIZE, &out, &e), GPURUN_FORMAT);
	bytes.size = 0;
	CHECK_INT(decompress(codec, bytes, SIZE, &out, &e), GPURUN_FORMAT);
	CHECK_INT(decompress(codec, pack(codec), DECOMPRESS_MAX + 1, &out, &e),
		  GPURUN_FORMAT);
	CHECK_HAS(e.text, "the largest to be decompressed is 536870912");
	CHECK(!out);
}

static void test_zlib(void)
{
	check_codec(CODEC_ZLIB);
}

static void test_lz4(void)
{
	check_codec(CODEC_LZ4);
}

static void test_lz4_frame(void)
{
	check_codec(CODEC_LZ4_FRAME);
}

static void test_zstd(void)
{
	check_codec(CODEC_ZSTD);
}

static void test_garbage(void)
{
	static const uint8_t garbage[64] = { 0xff, 0xff, 0xff, 0xff };
	struct bytes bytes = { garbage, sizeof(garbage) };

	for (enum image_codec codec = CODEC_ZLIB; codec <= CODEC_ZSTD; codec++) {
		uint8_t *out;

		CHECK_INT(decompress(codec, bytes, 100, &out, NULL), GPURUN_FORMAT);
		CHECK(!out);
	}
}

/* What is promised is compared with what there is, before there is memory for it. */
static void test_promises(void)
{
	struct err e = { 0 };
	uint8_t *out;

	for (enum image_codec codec = CODEC_ZLIB; codec <= CODEC_ZSTD; codec++) {
		struct bytes bytes = pack(codec);
		char want[100];

		snprintf(want, sizeof(want), "%zu bytes of %s data cannot unpack to %d bytes",
			 bytes.size, codec_name(codec), 1 << 29);
		CHECK_INT(decompress(codec, bytes, 1 << 29, &out, &e), GPURUN_FORMAT);
		CHECK_STR(e.text, want);
	}
}

/* Each codec at its best: a long run of zeros. */
static void test_zeros(void)
{
	CLEANUP(free_pointer) uint8_t *out = NULL;
	const size_t size = 1 << 20;
	CLEANUP(free_pointer) uint8_t *zeros = calloc(1, size);
	CLEANUP(free_pointer) uint8_t *stored = malloc(size);
	uLongf zlib = size;
	int lz4;

	REQUIRE(zeros && stored);
	compress2(stored, &zlib, zeros, size, 9);
	CHECK_INT(decompress(CODEC_ZLIB, (struct bytes){ stored, zlib }, size, &out, NULL), 0);
	free(STEAL(out));
	lz4 = LZ4_compress_default((char *)zeros, (char *)stored, (int)size, (int)size);
	CHECK_INT(decompress(CODEC_LZ4, (struct bytes){ stored, (size_t)lz4 }, size, &out, NULL),
		  0);
}

/* Frames one after the other, of which one does not tell what it gives. */
static void test_zstd_frames(void)
{
	CLEANUP(free_pointer) uint8_t *out = NULL;
	static uint8_t stored[2 * ROOM];
	ZSTD_CCtx *context = ZSTD_createCCtx();
	struct bytes first = pack(CODEC_ZSTD);
	size_t second;

	memcpy(stored, first.data, first.size);
	ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, 0);
	second = ZSTD_compress2(context, stored + first.size, ROOM, plain, SIZE);
	ZSTD_freeCCtx(context);
	first = (struct bytes){ stored, first.size + second };
	REQUIRE(!decompress(CODEC_ZSTD, first, 2 * SIZE, &out, NULL));
	CHECK(!memcmp(out, plain, SIZE) && !memcmp(out + SIZE, plain, SIZE));
}

/* What is more than was promised is told from damage, where the codec does. */
/* promise: Offload binaries that are compressed as a whole */
static void test_too_much(void)
{
	static const enum image_codec told[] = { CODEC_ZLIB, CODEC_ZSTD };

	for (size_t i = 0; i < 2; i++) {
		struct bytes bytes = pack(told[i]);
		struct err e = { 0 };
		uint8_t *out;
		char want[100];

		snprintf(want, sizeof(want),
			 "%s data gives more than %d bytes, which were expected",
			 codec_name(told[i]), SIZE - 1);
		CHECK_INT(decompress(told[i], bytes, SIZE - 1, &out, &e), GPURUN_FORMAT);
		CHECK_STR(e.text, want);
	}
}

/* Bytes behind a stream, and in front of what comes out. */
static void test_around(void)
{
	static const enum image_codec around[] = { CODEC_ZLIB, CODEC_ZSTD };

	for (size_t i = 0; i < 2; i++) {
		CLEANUP(free_pointer) uint8_t *out = NULL;
		struct bytes bytes = pack(around[i]), first;

		memset(packed + bytes.size, 0, 7);
		bytes.size += 7;
		first = codec_first(around[i], bytes);
		CHECK_INT(first.size, around[i] == CODEC_ZSTD ? bytes.size - 7 : bytes.size);
		REQUIRE(!decompress_behind(around[i], first, 40, SIZE, &out, NULL));
		CHECK(!memcmp(out + 40, plain, SIZE) && !out[40 + SIZE]);
		bytes.size = 3;
		CHECK_INT(codec_first(around[i], bytes).size, 3);
	}
}

int main(void)
{
	for (size_t i = 0; i < SIZE; i++)
		plain[i] = (uint8_t)(i * i >> 7);
	RUN(test_zlib);
	RUN(test_lz4);
	RUN(test_lz4_frame);
	RUN(test_zstd);
	RUN(test_garbage);
	RUN(test_promises);
	RUN(test_zeros);
	RUN(test_zstd_frames);
	RUN(test_too_much);
	RUN(test_around);
	return tap_end();
}
