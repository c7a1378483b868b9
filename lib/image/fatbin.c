/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Layout, found by analysing what fatbinary of CUDA 11 to 13 writes
 * (42,264 entries of 15 libraries). All numbers are little-endian.
 *
 *	container	u32 magic, u16 version 1, u16 header size, u64 size of entries
 *	entry		64 bytes, then a variable part (name, options), then the
 *			payload, padded to 8 bytes; the next entry follows at once
 *
 *	00 u16 kind		10 u32 compressed size, or 0	28 u64 flags
 *	02 u16 version		14 u32 offset of options	30 u64 key
 *	04 u32 header size	18 u16 minor, 1A u16 major	38 u64 size once
 *	08 u64 padded size	1C u32 SM number		       decompressed
 *				20 u32 offset, 24 u32 length of the name
 */
#include "fatbin.h"
#include "array.h"

#include <inttypes.h>

#define MAGIC 0xBA55ED50u

enum {
	CONTAINER_HEADER = 16,
	ENTRY_HEADER = 64,
};

enum {
	FLAG_64BIT = 0x1,
	FLAG_ZLIB = 0x1000,
	FLAG_LZ4 = 0x2000,
	FLAG_LZ4_FRAME = 0x4000,
	FLAG_ZSTD = 0x8000,
	FLAG_CODECS = FLAG_ZLIB | FLAG_LZ4 | FLAG_LZ4_FRAME | FLAG_ZSTD,
	FLAG_OBFUSCATED = 0x10000,
	FLAG_SPECIFIC = 0x100000, /* sm_90a */
	FLAG_FAMILY = 0x200000,   /* sm_100f */
};

static bool is_container(const uint8_t *p)
{
	return p && load_u32(p) == MAGIC && load_u16(p + 4) == 1 &&
	       load_u16(p + 6) >= CONTAINER_HEADER;
}

bool fatbin_sniff(struct bytes bytes, uint64_t offset)
{
	return is_container(bytes_at(bytes, offset, CONTAINER_HEADER));
}

static bool read_codec(uint64_t flags, enum image_codec *codec)
{
	switch (flags & FLAG_CODECS) {
	case 0:
		*codec = CODEC_NONE;
		return true;
	case FLAG_ZLIB:
		*codec = CODEC_ZLIB;
		return true;
	case FLAG_LZ4:
		*codec = CODEC_LZ4;
		return true;
	case FLAG_LZ4_FRAME:
		*codec = CODEC_LZ4_FRAME;
		return true;
	case FLAG_ZSTD:
		*codec = CODEC_ZSTD;
		return true;
	}
	return false;
}

/* Reads the sizes and the codec of the entry at @offset, whose header is at @p. */
static int read_payload(struct bytes bytes, uint64_t offset, const uint8_t *p,
			struct fatbin_entry *entry, uint64_t *next, struct err *e)
{
	uint64_t header = load_u32(p + 4), padded = load_u64(p + 8);
	uint64_t compressed = load_u32(p + 16), flags = load_u64(p + 40), whole;

	if (header < ENTRY_HEADER)
		return err_set(e, GPURUN_FORMAT,
			       "offset %#" PRIx64 ": entry header of %" PRIu64
			       " bytes, expected at least %d",
			       offset, header, ENTRY_HEADER);
	entry->offset = offset + header;
	if (!size_add(header, padded, &whole))
		whole = UINT64_MAX;
	if (!bytes_at(bytes, offset, whole))
		return err_set(e, GPURUN_FORMAT,
			       "offset %#" PRIx64 ": entry of %" PRIu64
			       " bytes in %" PRIu64,
			       offset, whole, bytes.size - offset);
	if (!read_codec(flags, &entry->codec) ||
	    (entry->codec == CODEC_NONE) != (compressed == 0))
		return err_set(e, GPURUN_FORMAT,
			       "offset %#" PRIx64 ": entry flags %#" PRIx64
			       " with a compressed size of "
			       "%" PRIu64 ", expected one codec or none",
			       offset, flags, compressed);
	if (compressed > padded)
		return err_set(e, GPURUN_FORMAT,
			       "offset %#" PRIx64 ": compressed image of %" PRIu64
			       " bytes in an entry of %" PRIu64,
			       offset, compressed, padded);
	bytes_slice(bytes, entry->offset, compressed ? compressed : padded,
		    &entry->payload);
	entry->size = compressed ? load_u64(p + 56) : padded;
	*next = entry->offset + padded;
	return 0;
}

static int read_entry(struct input_view *view, uint64_t offset, struct fatbin_entry *entry,
		      uint64_t *next, struct err *e)
{
	const uint8_t *p = input_view_at(view, offset, ENTRY_HEADER);
	uint64_t flags;

	if (!p)
		return err_set(e, GPURUN_FORMAT,
			       "offset %#" PRIx64 ": %" PRIu64
			       " bytes left, expected an entry header of %d",
			       offset, view->bytes.size - offset, ENTRY_HEADER);
	flags = load_u64(p + 40);
	entry->kind = load_u16(p);
	entry->minor = load_u16(p + 24);
	entry->major = load_u16(p + 26);
	entry->arch = load_u32(p + 28);
	entry->wide = flags & FLAG_64BIT;
	entry->obfuscated = flags & FLAG_OBFUSCATED;
	entry->suffix = flags & FLAG_SPECIFIC ? 'a' : flags & FLAG_FAMILY ? 'f' : 0;
	return read_payload(view->bytes, offset, p, entry, next, e);
}

/* Reads the entries in @view from @offset to the end; stops at the first damaged one. */
static int read_entries(struct input_view *view, uint64_t offset, struct fatbin *fatbin,
			struct err *e)
{
	while (offset < view->bytes.size) {
		struct fatbin_entry *entry =
			array_grow(&fatbin->entries, fatbin->count, sizeof(*entry));
		struct err damage = { 0 };

		if (!entry)
			return err_set(e, GPURUN_NO_MEMORY, "out of memory");
		if (read_entry(view, offset, entry, &offset, &damage)) {
			if (!fatbin->damage.code)
				fatbin->damage = damage;
			return 0;
		}
		fatbin->count++;
		fatbin->end = offset;
	}
	return 0;
}

int fatbin_read(struct input_view *view, uint64_t offset, struct fatbin **out, struct err *e)
{
	CLEANUP(free_fatbin) struct fatbin *fatbin = NULL;
	const uint8_t *p = input_view_at(view, offset, CONTAINER_HEADER);
	const size_t whole = view->bytes.size;
	uint64_t header, size, end;
	int status;

	*out = NULL;
	if (!is_container(p))
		return err_set(e, GPURUN_FORMAT, "offset %#" PRIx64 ": expected a fatbin",
			       offset);
	header = load_u16(p + 6);
	size = load_u64(p + 8);
	fatbin = calloc(1, sizeof(*fatbin));
	if (!fatbin)
		return err_set(e, GPURUN_NO_MEMORY, "out of memory");
	fatbin->end = offset + header;
	if (!size_add(offset + header, size, &end) || end > whole)
		/* A file that was cut off still has the entries before the cut. */
		err_set(&fatbin->damage, GPURUN_FORMAT,
			"offset %#" PRIx64 ": fatbin of %" PRIu64 " bytes in %" PRIu64,
			offset, size, whole - offset);
	else
		view->bytes.size = end;
	status = read_entries(view, offset + header, fatbin, e);
	view->bytes.size = whole;
	TRY(status);
	*out = STEAL(fatbin);
	return 0;
}

int fatbin_open(struct bytes bytes, uint64_t offset, struct fatbin **out, struct err *e)
{
	struct input_view view;

	view.input = NULL;
	view.bytes = bytes;
	return fatbin_read(&view, offset, out, e);
}

void fatbin_free(struct fatbin *fatbin)
{
	if (!fatbin)
		return;
	free(fatbin->entries);
	free(fatbin);
}
