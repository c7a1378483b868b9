/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The layout is in offload.c. */
#include "offload_read.h"
#include "array.h"

#include <inttypes.h>

enum {
	ENTRY = 40,
	METADATA_ONLY = 1,     /* a flag of versions 2 and 3: an entry without an image */
	LONGEST_STRING = 65536, /* a bound on the time of a search for NULs */
};

/* ---- Strings ---------------------------------------------------------- */

/* Finds the text that ends in a NUL at @offset of the binary. */
static bool find_text(const struct offload_reader *reader, uint64_t offset, struct bytes *text)
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

/* Finds the value of the string at @p; its size depends on the version. */
static bool find_value(const struct offload_reader *reader, const uint8_t *p, struct bytes *value)
{
	uint64_t offset = load_u64(p + 8);

	return reader->version == 1 ?
		       find_text(reader, offset, value) :
		       bytes_slice(reader->binary, offset, load_u64(p + 16), value);
}

/* Reads the string at @p, of the entry at @offset. */
static int read_string(struct offload_reader *reader, uint64_t offset, const uint8_t *p,
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
static int read_strings(struct offload_reader *reader, uint64_t offset, const uint8_t *p,
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
static int read_entry(struct offload_reader *reader, const uint8_t *p,
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
static int add_entry(struct offload_reader *reader, const uint8_t *p, struct offload *offload,
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

/* Notes what is wrong with where the entries are. */
static void note_place(const struct offload_reader *reader, uint64_t at, uint64_t number,
		       struct err *damage)
{
	const char *what = reader->version == 1 ? "entry of size" : "entries, in number";

	if (damage->code)
		return;
	if (at < offload_header_size(reader->version))
		err_set(damage, GPURUN_FORMAT,
			"offset %#" PRIx64 ": %s %" PRIu64 " at %#" PRIx64
			", inside the header of %" PRIu64 " bytes",
			reader->start, what, number, at,
			offload_header_size(reader->version));
	else
		err_set(damage, GPURUN_FORMAT,
			"offset %#" PRIx64 ": %s %" PRIu64 " at %#" PRIx64
			" in an offload binary of %zu bytes",
			reader->start, what, number, at,
			reader->binary.size);
}

uint64_t offload_header_size(uint32_t version)
{
	return version == 3 ? OFFLOAD_HEADER3 : OFFLOAD_HEADER;
}

int offload_read_entries(struct offload_reader *reader, struct offload *offload,
			 struct err *e)
{
	const uint8_t *p = reader->binary.data, *entries = NULL;
	const uint64_t at = load_u64(p + 16), number = load_u64(p + 24);
	uint64_t count = reader->version == 1 ? 1 : number, size;

	if (size_mul(count, ENTRY, &size) && (reader->version != 1 || number >= ENTRY) &&
	    at >= offload_header_size(reader->version))
		entries = bytes_at(reader->binary, at, size);
	if (!entries)
		note_place(reader, at, number, &offload->damage);
	for (uint64_t i = 0; entries && i < count; i++)
		TRY(add_entry(reader, entries + i * ENTRY, offload, e));
	return 0;
}
