/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "region.h"

#include <stdlib.h>

void region_free(struct code_region *region)
{
	if (!region)
		return;
	mcode_free(region->code);
	free(region->entries);
	free(region->copies);
	free(region->calls);
	free(region);
}

uint32_t region_original(const struct code_region *region, const struct op *ip)
{
	const struct op *copies = region->copies;

	for (size_t i = 0; i < region->call_count; i++) {
		if (ip >= copies && ip < copies + region->calls[i].count)
			return region->calls[i].op + (uint32_t)(ip - copies);
		copies += region->calls[i].count + 1;
	}
	return UINT32_MAX;
}

op_fn *region_handler(const struct code_region *region, uint32_t op)
{
	for (size_t i = 0; i < region->entry_count; i++)
		if (region->entries[i].op == op)
			return region->entries[i].handler;
	return NULL;
}
