/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "record.h"

#include "findings.h"

/* The whole block is what is leaked. */
static struct about leak_of(const struct block *block)
{
	struct about about = about_access(KIND_LEAK, NULL, 0, block->base);

	about.bytes = block->size;
	return about;
}

void record_report_leak(const struct record *record, unsigned kinds,
			bool (*is_ending)(uint64_t owner, uint64_t ending), uint64_t ending)
{
	struct block block = record_block(record);

	if (!get(record->live) || !(kinds >> block.kind & 1) ||
	    (is_ending && !is_ending(block.owner, ending)))
		return;
	finding_report(CHECK_LEAK, leak_of(&block),
		       "%llu bytes at %#llx, from %s, allocation %llu, are never freed",
		       (unsigned long long)block.size, (unsigned long long)block.base,
		       block.kind == BLOCK_HEAP ? "malloc() of a kernel" :
		       block.made_by ? block.made_by : "the driver",
		       (unsigned long long)block.serial);
}
