/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "archive.h"
#include "fuzz.h"

/* Any bytes: archive_open refuses them, or the members lie inside them, in order. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(free_archive) struct archive *archive = NULL;
	const uint8_t *last = data;

	if (archive_open((struct bytes){ data, size }, &archive, NULL))
		return 0;
	for (size_t i = 0; i < archive->count; i++) {
		const struct archive_member *member = &archive->members[i];

		if (member->bytes.data < last || member->bytes.data != data + member->offset)
			abort();
		last = member->bytes.data + member->bytes.size;
		if (last > data + size ||
		    (member->name.size && member->name.data + member->name.size > data + size))
			abort();
	}
	return 0;
}
