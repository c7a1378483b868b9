/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* covers: lib/image/offload.c lib/image/offload_read.c */
#include "offload.h"
#include "fuzz.h"

static size_t sum;

/* Adds up all of @bytes, which are to lie inside @data: a sanitizer sees where they do not. */
static void read_all(struct bytes bytes, const uint8_t *data, size_t size)
{
	if (bytes.size && (bytes.data < data || bytes.data + bytes.size > data + size))
		abort();
	for (size_t i = 0; i < bytes.size; i++)
		sum += bytes.data[i];
}

/* Reads all that is in @offload, which was opened in these bytes. */
static void read_entries(const struct offload *offload, const uint8_t *data, size_t size)
{
	for (size_t i = 0; i < offload->count; i++) {
		const struct offload_entry *entry = &offload->entries[i];

		read_all(entry->image, data, size);
		read_all(offload_value(entry, "triple"), data, size);
		for (size_t j = 0; j < entry->string_count; j++)
			sum += strlen(entry->strings[j].key);
		sum += strlen(offload_producer(entry));
	}
	if (offload->end > size)
		abort();
}

/* Unpacks @packed, and reads what comes out: that is not compressed once more. */
static void read_packed(const struct offload *packed)
{
	CLEANUP(free_offload) struct offload *offload = NULL;
	CLEANUP(free_pointer) uint8_t *plain = NULL;
	struct bytes bytes = { 0 };

	if (packed->size > 1 << 20 || offload_unpack(packed, &plain, NULL))
		return;
	bytes = (struct bytes){ plain, packed->size };
	if (offload_open(bytes, 0, &offload, NULL) || offload->codec != CODEC_NONE)
		abort();
	read_entries(offload, plain, bytes.size);
}

/* Any bytes: offload_open refuses them, or every image and string lies inside them. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(free_offload) struct offload *offload = NULL;

	if (offload_open((struct bytes){ data, size }, 0, &offload, NULL))
		return 0;
	read_entries(offload, data, size);
	if (offload->codec != CODEC_NONE) {
		read_all(offload->stored, data, size);
		read_packed(offload);
	}
	return 0;
}
