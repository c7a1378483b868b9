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
	CHECK_HAS(e.text, "the largest to be decompressed is 1073741824");
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

int main(void)
{
	for (size_t i = 0; i < SIZE; i++)
		plain[i] = (uint8_t)(i * i >> 7);
	RUN(test_zlib);
	RUN(test_lz4);
	RUN(test_lz4_frame);
	RUN(test_zstd);
	RUN(test_garbage);
	return tap_end();
}
