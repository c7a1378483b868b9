/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The codecs of GPU images. An image says how large it will be; what does not
 * decompress to exactly that size is damaged.
 */
#ifndef LIB_DECOMPRESS_H
#define LIB_DECOMPRESS_H

#include "bytes.h"
#include "err.h"

enum image_codec { CODEC_NONE, CODEC_ZLIB, CODEC_LZ4, CODEC_LZ4_FRAME, CODEC_ZSTD };

/* The largest image that is decompressed. The largest in NVIDIA's libraries has 134 MB. */
#define DECOMPRESS_MAX ((uint64_t)1 << 29)

/*
 * Decompresses @stored, of @codec, to @size bytes. *@out is owned by the caller
 * (free) and has a NUL after its @size bytes. Fails with GPURUN_FORMAT, also when
 * @size is above DECOMPRESS_MAX or more than @stored can decompress to, before any
 * memory is allocated, or GPURUN_NO_MEMORY. @codec is not CODEC_NONE. The caller
 * has to limit what all images of a file may need.
 */
int decompress(enum image_codec codec, struct bytes stored, uint64_t size, uint8_t **out,
	       struct err *e);

/* The same, with @head bytes before those that are decompressed, which the caller writes. */
int decompress_behind(enum image_codec codec, struct bytes stored, size_t head,
		      uint64_t size, uint8_t **out, struct err *e);

/*
 * Narrows @stored to the stream of @codec that it begins with: what follows is no data.
 * Where the codec finds that end by itself, and where the stream is cut, it is all of
 * @stored.
 */
struct bytes codec_first(enum image_codec codec, struct bytes stored);

/* Returns "stored", "zlib", "lz4", "lz4 frame" or "zstd"; static. */
const char *codec_name(enum image_codec codec);

#endif
