/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "fatbin.h"
#include "fuzz.h"

/* Any bytes: fatbin_open refuses them, or every payload lies inside them, in order. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(free_fatbin) struct fatbin *fatbin = NULL;
	const uint8_t *last = data;

	if (fatbin_open((struct bytes){ data, size }, 0, &fatbin, NULL))
		return 0;
	for (size_t i = 0; i < fatbin->count; i++) {
		struct bytes payload = fatbin->entries[i].payload;

		if (payload.data < last || payload.data + payload.size > data + size)
			abort();
		last = payload.data + payload.size;
	}
	if (fatbin->end > size && !fatbin->damage.code)
		abort();
	return 0;
}
