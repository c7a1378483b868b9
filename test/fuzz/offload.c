/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
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

/* Any bytes: offload_open refuses them, or every image and string lies inside them. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(free_offload) struct offload *offload = NULL;

	if (offload_open((struct bytes){ data, size }, 0, &offload, NULL))
		return 0;
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
	return 0;
}
