/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Layout, from what llvm-offload-binary of LLVM 22 to 24 writes: versions 1, 2 and 3. All
 * numbers are little-endian; offsets count from the beginning of the binary, and binaries
 * follow each other at once.
 *
 *	header	u32 magic, u32 version, u64 size of the whole binary,
 *		u64 offset of the entries, u64 size of the one entry (version 1)
 *		or number of entries; version 3 adds u64 size once unpacked, or 0
 *	entry	00 u16 kind of image	08 u64 offset of its strings
 *		02 u16 producer		10 u64 number of its strings
 *		04 u32 flags		18 u64 offset, 20 u64 size of its image
 *	string	u64 offset of the key, u64 offset of the value; from version 2 on
 *		u64 size of the value
 *
 * Keys and values end in a NUL and may share their ends with others. Images may be anywhere:
 * from version 2 on they are not aligned. If version 3 has a size once unpacked, all that
 * follows its header is one stream of zstd or zlib and up to 7 zeros; in the unpacked binary,
 * whose size includes the header, the stream's bytes follow the header.
 */
#include "offload.h"
#include "offload_read.h"

#include <inttypes.h>

#define MAGIC 0xAD10FF10u

enum { SHARING = 16 }; /* how often each byte may be shared by strings, on average */

bool offload_sniff(struct bytes bytes, uint64_t offset)
{
	const uint8_t *p = bytes_at(bytes, offset, 4);

	return p && load_u32(p) == MAGIC;
}

/* ---- Compressed ones -------------------------------------------------- */

static enum image_codec codec_of(struct bytes stream)
{
	if (bytes_begin(stream, "\x28\xB5\x2F\xFD", 4))
		return CODEC_ZSTD;
	/* Deflate, and the check of the two bytes that say so. */
	if (stream.size >= 2 && (stream.data[0] & 15) == 8 &&
	    (stream.data[0] << 8 | stream.data[1]) % 31 == 0)
		return CODEC_ZLIB;
	return CODEC_NONE;
}

/* Notes what @reader's binary unpacks to, which has a whole header. */
static void read_compressed(const struct offload_reader *reader, struct offload *offload)
{
	struct err *damage = &offload->damage;
	const uint64_t size = load_u64(reader->binary.data + 32);
	struct bytes stream = { 0 };
	uint8_t head[4] = { 0 };

	bytes_slice(reader->binary, OFFLOAD_HEADER3, reader->binary.size - OFFLOAD_HEADER3,
		    &stream);
	bytes_read(stream, 0, head, stream.size < 4 ? stream.size : 4);
	if (damage->code) /* cut off, and so is the stream */
		return;
	if (size < OFFLOAD_HEADER3) {
		err_set(damage, GPURUN_FORMAT,
			"offset %#" PRIx64 ": offload binary that unpacks to %" PRIu64
			" bytes, its header alone has %d",
			reader->start, size, OFFLOAD_HEADER3);
		return;
	}
	offload->codec = codec_of(stream);
	if (offload->codec == CODEC_NONE) {
		err_set(damage, GPURUN_FORMAT,
			"offset %#" PRIx64 ": expected zstd or zlib data of an offload binary, "
			"found %zu bytes that begin with %02x %02x %02x %02x",
			reader->start + OFFLOAD_HEADER3, stream.size, head[0], head[1],
			head[2], head[3]);
		return;
	}
	offload->header = reader->binary.data;
	offload->stored = codec_first(offload->codec, stream);
	offload->size = size;
}

static void store_u64(uint8_t *p, uint64_t value)
{
	for (size_t i = 0; i < 8; i++)
		p[i] = (uint8_t)(value >> 8 * i);
}

int offload_unpack(const struct offload *packed, uint8_t **plain, struct err *e)
{
	TRY(decompress_behind(packed->codec, packed->stored, OFFLOAD_HEADER3,
			      packed->size - OFFLOAD_HEADER3, plain, e));
	memcpy(*plain, packed->header, OFFLOAD_HEADER3);
	store_u64(*plain + 8, packed->size);
	store_u64(*plain + 32, 0);
	return 0;
}

/* ---- The binary ------------------------------------------------------- */

static int check_version(uint64_t offset, uint32_t version, struct err *e)
{
	if (version >= 1 && version <= 3)
		return 0;
	err_set(e, GPURUN_FORMAT,
		"offset %#" PRIx64 ": offload binary version %" PRIu32
		"; versions 1 to 3 are read",
		offset, version);
	return err_hint(e, "pack it anew with llvm-offload-binary of LLVM 22 or 23");
}

/* Finds the binary that begins at @offset of @bytes, with the header at @p: where it ends, or
 * should end, and in *@out what there is of it. False when that is no whole header. */
static bool find_binary(struct bytes bytes, uint64_t offset, const uint8_t *p,
			struct offload *offload, struct bytes *out)
{
	const uint64_t size = load_u64(p + 8), left = bytes.size - offset;
	const uint64_t header = offload_header_size(load_u32(p + 4));

	offload->end = size < header && left >= header ? offset + header : bytes.size;
	if (size >= header && size <= left)
		offload->end = offset + size;
	else /* A file that was cut off may still have entries before the cut. */
		err_set(&offload->damage, GPURUN_FORMAT,
			"offset %#" PRIx64 ": offload binary of %" PRIu64
			" bytes in %" PRIu64,
			offset, size, left);
	bytes_slice(bytes, offset, offload->end - offset, out);
	return size >= header && out->size >= header;
}

/* Reads the header at @p, and what it describes. */
static int read_binary(struct bytes bytes, uint64_t offset, const uint8_t *p,
		       struct offload *offload, struct err *e)
{
	struct offload_reader reader = { .start = offset, .version = load_u32(p + 4) };

	if (!find_binary(bytes, offset, p, offload, &reader.binary) ||
	    check_version(offset, reader.version, &offload->damage))
		return 0;
	if (reader.version == 3 && load_u64(p + 32)) {
		read_compressed(&reader, offload);
		return 0;
	}
	reader.strings_left = reader.images_left = reader.binary.size;
	reader.texts_left = SHARING * (uint64_t)reader.binary.size;
	return offload_read_entries(&reader, offload, e);
}

int offload_open(struct bytes bytes, uint64_t offset, struct offload **out,
		 struct err *e)
{
	CLEANUP(free_offload) struct offload *offload = NULL;
	const uint8_t *p = bytes_at(bytes, offset, OFFLOAD_HEADER);

	*out = NULL;
	if (!offload_sniff(bytes, offset))
		return err_set(e, GPURUN_FORMAT,
			       "offset %#" PRIx64 ": expected an offload binary", offset);
	offload = calloc(1, sizeof(*offload));
	if (!offload)
		return err_set(e, GPURUN_NO_MEMORY, "out of memory");
	if (p) {
		TRY(read_binary(bytes, offset, p, offload, e));
	} else {
		offload->end = bytes.size;
		err_set(&offload->damage, GPURUN_FORMAT,
			"offset %#" PRIx64 ": %" PRIu64
			" bytes left, expected an offload binary's header of %d",
			offset, bytes.size - offset, OFFLOAD_HEADER);
	}
	*out = STEAL(offload);
	return 0;
}

void offload_entries_free(struct offload_entry *entries, size_t count)
{
	for (size_t i = 0; entries && i < count; i++)
		free(entries[i].strings);
	free(entries);
}

void offload_free(struct offload *offload)
{
	if (!offload)
		return;
	offload_entries_free(offload->entries, offload->count);
	free(offload);
}

struct bytes offload_value(const struct offload_entry *entry, const char *key)
{
	for (size_t i = 0; i < entry->string_count; i++)
		if (!strcmp(entry->strings[i].key, key))
			return entry->strings[i].value;
	return (struct bytes){ 0 };
}

const char *offload_producer(const struct offload_entry *entry)
{
	static const char *const names[] = {
		[1] = "openmp", [2] = "cuda", [4] = "hip", [8] = "sycl",
	};
	const char *name = NULL;

	if (entry->producer < sizeof(names) / sizeof(names[0]))
		name = names[entry->producer];
	return name ? name : "none";
}
