/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Layout, from what llvm-offload-binary of LLVM 22 writes (version 1) and from
 * LLVM's description of version 2. All numbers are little-endian; offsets count
 * from the beginning of the binary, and binaries follow each other at once.
 *
 *	header	u32 magic, u32 version, u64 size of the whole binary,
 *		u64 offset of the entries, u64 size of the one entry (version 1)
 *		or number of entries (version 2)
 *	entry	00 u16 kind of image	08 u64 offset of its strings
 *		02 u16 producer		10 u64 number of its strings
 *		04 u32 flags		18 u64 offset, 20 u64 size of its image
 *	string	u64 offset of the key, u64 offset of the value; version 2 adds
 *		u64 size of the value
 *
 * Keys and values end in a NUL and may share their ends with others. Version 3
 * has a longer header, and what follows it may be compressed.
 */
#include "offload.h"
#include "array.h"

#include <inttypes.h>

#define MAGIC 0xAD10FF10u

enum {
	HEADER = 32,
	ENTRY = 40,
	METADATA_ONLY = 1,     /* a flag of version 2: an entry without an image */
	LONGEST_STRING = 65536, /* as a bound on the time that a search for NULs takes */
	SHARING = 16, /* how often each byte may be shared by strings, on average */
};

/* What is read, and how many bytes of it may still be claimed by the tables of strings, by
 * images, and by texts: without a bound a small file could ask for any memory and time. */
struct reader {
	struct bytes binary; /* no more than itself */
	uint64_t start;      /* of it, in the bytes that were opened */
	uint32_t version;
	uint64_t strings_left, images_left, texts_left;
};

bool offload_sniff(struct bytes bytes, uint64_t offset)
{
	const uint8_t *p = bytes_at(bytes, offset, 4);

	return p && load_u32(p) == MAGIC;
}

/* ---- Strings ---------------------------------------------------------- */

/* Finds the text that ends in a NUL at @offset of the binary. */
static bool find_text(const struct reader *reader, uint64_t offset, struct bytes *text)
{
	const uint8_t *p = bytes_at(reader->binary, offset, 1), *nul;
	size_t left;

	if (!p)
		return false;
	left = reader->binary.size - offset;
	nul = memchr(p, 0, left < LONGEST_STRING ? left : LONGEST_STRING);
	if (!nul)
		return false;
	*text = (struct bytes){ p, (size_t)(nul - p) };
	return true;
}

/* Finds the value of the string at @p, which its version tells the size of. */
static bool find_value(const struct reader *reader, const uint8_t *p, struct bytes *value)
{
	uint64_t offset = load_u64(p + 8);

	return reader->version == 1 ?
		       find_text(reader, offset, value) :
		       bytes_slice(reader->binary, offset, load_u64(p + 16), value);
}

/* Reads the string at @p, of the entry at @offset. */
static int read_string(struct reader *reader, uint64_t offset, const uint8_t *p,
		       struct offload_string *string, struct err *e)
{
	struct bytes key;

	if (!find_text(reader, load_u64(p), &key))
		return err_set(e, GPURUN_FORMAT,
			       "offset %#" PRIx64 ": key at %#" PRIx64
			       ", expected text in an offload binary of %zu bytes",
			       offset, load_u64(p),
			       reader->binary.size);
	string->key = (const char *)key.data;
	if (!find_value(reader, p, &string->value) ||
	    key.size + string->value.size > reader->texts_left)
		return err_set(e, GPURUN_FORMAT,
			       "offset %#" PRIx64 ": value of %.64s at %#" PRIx64
			       ", expected text in an offload binary of %zu bytes",
			       offset, string->key, load_u64(p + 8),
			       reader->binary.size);
	reader->texts_left -= key.size + string->value.size;
	return 0;
}

/* Reads the strings of the entry at @offset, whose bytes are at @p. */
static int read_strings(struct reader *reader, uint64_t offset, const uint8_t *p,
			struct offload_entry *entry, struct err *e)
{
	const uint64_t at = load_u64(p + 8), count = load_u64(p + 16);
	const uint64_t stride = reader->version == 1 ? 16 : 24;
	const uint8_t *strings;
	uint64_t size;

	if (!size_mul(count, stride, &size) || size > reader->strings_left ||
	    !(strings = bytes_at(reader->binary, at, size)))
		return err_set(e, GPURUN_FORMAT,
			       "offset %#" PRIx64 ": %" PRIu64 " strings at %#" PRIx64
			       " in an offload binary of %zu bytes",
			       offset, count, at,
			       reader->binary.size);
	reader->strings_left -= size;
	entry->strings = calloc((size_t)count + 1, sizeof(*entry->strings));
	if (!entry->strings)
		return err_set(e, GPURUN_NO_MEMORY, "out of memory");
	for (entry->string_count = 0; entry->string_count < count; entry->string_count++)
		TRY(read_string(reader, offset, strings + entry->string_count * stride,
				&entry->strings[entry->string_count], e));
	for (size_t i = 0; i < count; i++)
		entry->text_size += strlen(entry->strings[i].key) +
				    entry->strings[i].value.size + 2;
	entry->arch = offload_value(entry, "arch");
	return 0;
}

/* ---- Entries ---------------------------------------------------------- */

static void release_entry(struct offload_entry *entry)
{
	free(entry->strings);
}

/* Reads the entry at @p of the binary. */
static int read_entry(struct reader *reader, const uint8_t *p,
		      struct offload_entry *entry, struct err *e)
{
	const uint64_t offset = reader->start + (uint64_t)(p - reader->binary.data);
	const uint64_t at = load_u64(p + 24), size = load_u64(p + 32);

	entry->kind = load_u16(p);
	entry->producer = load_u16(p + 2);
	if (!bytes_slice(reader->binary, at, size, &entry->image) ||
	    size > reader->images_left)
		return err_set(e, GPURUN_FORMAT,
			       "offset %#" PRIx64 ": image of %" PRIu64
			       " bytes at %#" PRIx64 " in an offload binary of %zu",
			       offset, size, at,
			       reader->binary.size);
	reader->images_left -= size;
	entry->offset = reader->start + at;
	return read_strings(reader, offset, p, entry, e);
}

/* Adds the entry at @p unless it has no image; keeps what is wrong with it. */
static int add_entry(struct reader *reader, const uint8_t *p, struct offload *offload,
		     struct err *e)
{
	CLEANUP(release_entry) struct offload_entry entry = { 0 };
	struct offload_entry *slot;
	struct err damage = { 0 };

	if (reader->version != 1 && (load_u32(p + 4) & METADATA_ONLY))
		return 0;
	if (read_entry(reader, p, &entry, &damage)) {
		if (damage.code == GPURUN_NO_MEMORY)
			return err_set(e, GPURUN_NO_MEMORY, "out of memory");
		if (!offload->damage.code)
			offload->damage = damage;
		return 0;
	}
	slot = array_grow(&offload->entries, offload->count, sizeof(*slot));
	if (!slot)
		return err_set(e, GPURUN_NO_MEMORY, "out of memory");
	*slot = entry;
	entry.strings = NULL;
	offload->count++;
	return 0;
}

/* Reads the entries that the header at @p tells of. */
static int read_entries(struct reader *reader, const uint8_t *p, struct offload *offload,
			struct err *e)
{
	const uint64_t at = load_u64(p + 16), number = load_u64(p + 24);
	uint64_t count = reader->version == 1 ? 1 : number, size;
	const uint8_t *entries = NULL;

	if (size_mul(count, ENTRY, &size) && (reader->version != 1 || number >= ENTRY))
		entries = bytes_at(reader->binary, at, size);
	if (!entries) {
		if (!offload->damage.code)
			err_set(&offload->damage, GPURUN_FORMAT,
				"offset %#" PRIx64 ": %s %" PRIu64 " at %#" PRIx64
				" in an offload binary of %zu bytes",
				reader->start,
				reader->version == 1 ? "entry of size" :
						       "entries, in number",
				number, at,
				reader->binary.size);
		return 0;
	}
	for (uint64_t i = 0; i < count; i++)
		TRY(add_entry(reader, entries + i * ENTRY, offload, e));
	return 0;
}

/* ---- The binary ------------------------------------------------------- */

static int check_version(uint64_t offset, uint32_t version, struct err *e)
{
	if (version == 1 || version == 2)
		return 0;
	err_set(e, GPURUN_FORMAT,
		"offset %#" PRIx64 ": offload binary of version %" PRIu32 "%s; "
		"1 and 2 can be read",
		offset, version, version == 3 ? ", which may be compressed" : "");
	return err_hint(e, "pack it anew with llvm-offload-binary of LLVM 22");
}

/* Reads the header at @p, and what it tells of. */
static int read_binary(struct bytes bytes, uint64_t offset, const uint8_t *p,
		       struct offload *offload, struct err *e)
{
	struct reader reader = { .start = offset, .version = load_u32(p + 4) };
	uint64_t size = load_u64(p + 8), left = bytes.size - offset;

	offload->end = size < HEADER ? offset + HEADER : bytes.size;
	if (size >= HEADER && size <= left)
		offload->end = offset + size;
	else /* A file that was cut off may still have entries before the cut. */
		err_set(&offload->damage, GPURUN_FORMAT,
			"offset %#" PRIx64 ": offload binary of %" PRIu64
			" bytes in %" PRIu64,
			offset, size, left);
	bytes_slice(bytes, offset, offload->end - offset, &reader.binary);
	reader.strings_left = reader.images_left = reader.binary.size;
	reader.texts_left = SHARING * (uint64_t)reader.binary.size;
	if (size < HEADER || check_version(offset, reader.version, &offload->damage))
		return 0;
	return read_entries(&reader, p, offload, e);
}

int offload_open(struct bytes bytes, uint64_t offset, struct offload **out,
		 struct err *e)
{
	CLEANUP(free_offload) struct offload *offload = NULL;
	const uint8_t *p = bytes_at(bytes, offset, HEADER);

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
			offset, bytes.size - offset, HEADER);
	}
	*out = STEAL(offload);
	return 0;
}

void offload_entries_free(struct offload_entry *entries, size_t count)
{
	for (size_t i = 0; entries && i < count; i++)
		release_entry(&entries[i]);
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
