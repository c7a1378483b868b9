/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "hostelf.h"
#include "fuzz.h"

/* Any bytes: hostelf_open refuses them, or every place lies inside them. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(free_hostelf) struct hostelf *host = NULL;

	if (hostelf_open((struct bytes){ data, size }, &host, NULL))
		return 0;
	for (size_t i = 0; i < host->place_count; i++)
		if (!bytes_at((struct bytes){ data, size }, host->places[i].offset,
			      host->places[i].size))
			abort();
	return 0;
}
