/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "decompress.h"
#include "cleanup.h"

#include <inttypes.h>
#include <limits.h>
#include <lz4.h>
#include <lz4frame.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

/* ---- The most that stored bytes can decompress to ---------------------- */

enum {
	ZLIB_RATIO = 1032, /* a match of 258 bytes in 2 bits */
	LZ4_RATIO = 255,   /* a byte makes a match that much longer */
	ZSTD_BLOCK = 128 << 10,
	ZSTD_LEAST = 4, /* the smallest block that repeats a byte */
};

static uint64_t most_zlib(struct bytes stored)
{
	return ZLIB_RATIO * (uint64_t)stored.size;
}

static uint64_t most_lz4(struct bytes stored)
{
	return LZ4_RATIO * (uint64_t)stored.size;
}

/* Frames say what they decompress to, if their writer chose so. */
static uint64_t most_zstd(struct bytes stored)
{
	uint64_t sum = 0;

	while (stored.size) {
		uint64_t plain = ZSTD_getFrameContentSize(stored.data, stored.size);
		size_t packed = ZSTD_findFrameCompressedSize(stored.data, stored.size);

		if (ZSTD_isError(packed) || plain > DECOMPRESS_MAX) /* not known */
			plain = (stored.size / ZSTD_LEAST + 1) * ZSTD_BLOCK;
		if (ZSTD_isError(packed))
			packed = stored.size;
		sum += plain;
		stored.data += packed;
		stored.size -= packed;
	}
	return sum;
}

/* ---- Decompression ---------------------------------------------------- */

#define DAMAGED	 UINT64_MAX
#define TOO_MUCH (UINT64_MAX - 1) /* there is more than @size bytes */

/* Each returns how many bytes it wrote to @out, or one of these if it distinguishes them. */

static uint64_t run_zlib(struct bytes stored, uint8_t *out, uint64_t size)
{
	uLongf length = size;
	int status = uncompress(out, &length, stored.data, stored.size);

	if (status == Z_BUF_ERROR && length == size)
		return TOO_MUCH;
	return status == Z_OK ? length : DAMAGED;
}

static uint64_t run_lz4(struct bytes stored, uint8_t *out, uint64_t size)
{
	int length;

	if (stored.size > INT_MAX || size > INT_MAX)
		return DAMAGED;
	length = LZ4_decompress_safe((const char *)stored.data, (char *)out,
				     (int)stored.size, (int)size);
	return length < 0 ? DAMAGED : (uint64_t)length;
}

static void free_lz4_frame(LZ4F_dctx **context)
{
	LZ4F_freeDecompressionContext(*context);
}

static uint64_t run_lz4_frame(struct bytes stored, uint8_t *out, uint64_t size)
{
	CLEANUP(free_lz4_frame) LZ4F_dctx *context = NULL;
	size_t written = size, taken = stored.size, more;

	if (LZ4F_isError(LZ4F_createDecompressionContext(&context, LZ4F_VERSION)))
		return DAMAGED;
	more = LZ4F_decompress(context, out, &written, stored.data, &taken, NULL);
	return LZ4F_isError(more) || more ? DAMAGED : written;
}

static uint64_t run_zstd(struct bytes stored, uint8_t *out, uint64_t size)
{
	size_t length = ZSTD_decompress(out, size, stored.data, stored.size);

	if (ZSTD_getErrorCode(length) == ZSTD_error_dstSize_tooSmall)
		return TOO_MUCH;
	return ZSTD_isError(length) ? DAMAGED : length;
}

static const struct {
	const char *name;
	uint64_t (*run)(struct bytes stored, uint8_t *out, uint64_t size);
	uint64_t (*most)(struct bytes stored);
} codecs[] = {
	[CODEC_NONE] = { "stored", NULL, NULL },
	[CODEC_ZLIB] = { "zlib", run_zlib, most_zlib },
	[CODEC_LZ4] = { "lz4", run_lz4, most_lz4 },
	[CODEC_LZ4_FRAME] = { "lz4 frame", run_lz4_frame, most_lz4 },
	[CODEC_ZSTD] = { "zstd", run_zstd, most_zstd },
};

/* Decompresses to @out, which has room for @size bytes. */
static int run(enum image_codec codec, struct bytes stored, uint64_t size, uint8_t *out,
	       struct err *e)
{
	const char *name = codecs[codec].name;
	uint64_t length = codecs[codec].run(stored, out, size);

	if (length == TOO_MUCH)
		return err_set(e, GPURUN_FORMAT,
			       "%s data gives more than %" PRIu64 " bytes, which were expected",
			       name, size);
	if (length == DAMAGED)
		return err_set(e, GPURUN_FORMAT, "damaged %s data", name);
	if (length != size)
		return err_set(e, GPURUN_FORMAT,
			       "%s data gave %" PRIu64 " bytes, expected %" PRIu64, name, length,
			       size);
	return 0;
}

int decompress_behind(enum image_codec codec, struct bytes stored, size_t head,
		      uint64_t size, uint8_t **out, struct err *e)
{
	CLEANUP(free_pointer) uint8_t *buffer = NULL;

	*out = NULL;
	if (size > DECOMPRESS_MAX)
		return err_set(e, GPURUN_FORMAT,
			       "image of %" PRIu64
			       " bytes, the largest to be decompressed is %" PRIu64,
			       size, DECOMPRESS_MAX);
	if (size > codecs[codec].most(stored))
		return err_set(e, GPURUN_FORMAT,
			       "%zu bytes of %s data cannot unpack to %" PRIu64 " bytes",
			       stored.size, codecs[codec].name, size);
	/* The system allocates the pages of such a large block when they are written. */
	buffer = malloc(head + size + 1);
	if (!buffer)
		return err_set(e, GPURUN_NO_MEMORY,
			       "no memory for an image of %" PRIu64 " bytes", size);
	TRY(run(codec, stored, size, buffer + head, e));
	buffer[head + size] = '\0';
	*out = STEAL(buffer);
	return 0;
}

int decompress(enum image_codec codec, struct bytes stored, uint64_t size, uint8_t **out,
	       struct err *e)
{
	return decompress_behind(codec, stored, 0, size, out, e);
}

struct bytes codec_first(enum image_codec codec, struct bytes stored)
{
	size_t packed;

	if (codec != CODEC_ZSTD)
		return stored;
	packed = ZSTD_findFrameCompressedSize(stored.data, stored.size);
	if (!ZSTD_isError(packed))
		stored.size = packed;
	return stored;
}

const char *codec_name(enum image_codec codec)
{
	return codecs[codec].name;
}
