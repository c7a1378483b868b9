/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdio.h>

#include "finding.h"
#include "segment.h"

/* "thread (1,0,0) of block (0,0,0)" */
static void describe_thread(const struct segment *segment, uint32_t tag, const uint32_t grid[3],
			    const uint32_t block[3], char *text, size_t size)
{
	const uint32_t thread = segment->warp * LANES + (tag & TAG_LANE), cta = segment->cta;

	snprintf(text, size, "%sthread (%u,%u,%u) of block (%u,%u,%u)",
		 tag & TAG_SEVERAL ? "other threads beside " : "", thread % block[0],
		 thread / block[0] % block[1], thread / block[0] / block[1], cta % grid[0],
		 cta / grid[0] % grid[1], cta / grid[0] / grid[1]);
}

void race_describe(uint64_t number, uint32_t tag, char *text, size_t size)
{
	const struct segment *segment = segment_of(tag);
	char thread[128] = "", stream[40];
	struct order_description of;

	order_describe(segment->number, &of);
	order_name_stream(of.stream, stream, sizeof(stream));
	if (of.block[0] && segment->cta != SEGMENT_TRANSFER)
		describe_thread(segment, tag, of.grid, of.block, thread, sizeof(thread));
	if (segment->number == number)
		snprintf(text, size, "%s", thread[0] ? thread : "another thread");
	else if (!of.name[0])
		snprintf(text, size, "an operation of long ago");
	else
		snprintf(text, size, "%s%s%s %s", thread, thread[0] ? " of " : "", of.name,
			 stream);
}

void race_report(const struct warp *w, const struct op *ip, const struct check_access *access,
		 unsigned lane, uint32_t tag, bool written)
{
	static const char *const verbs[] = { "read", "write", "atomic operation" };
	const struct order *order = w->cta->launch->order;
	char where[256] = "shared memory", who[320], stream[40] = "";
	uint64_t at = access->at[lane];

	if (!finding_is_news(w, ip, CHECK_RACE))
		return;
	if (at - (uint64_t)w->shared >= w->shared_size && !access->shared)
		memory_describe(w, at, where, sizeof(where));
	race_describe(order->number, tag, who, sizeof(who));
	if (segment_of(tag)->number != order->number) {
		stream[0] = ' ';
		order_name_stream(order->stream, stream + 1, sizeof(stream) - 1);
	}
	finding_add(w, ip, 1u << lane, CHECK_RACE,
		    "%s of %u bytes at %#llx%s, which %s %s; nothing orders the two: %s",
		    verbs[access->kind], access->size, (unsigned long long)at, stream, who,
		    written ? "wrote" : "read", where);
}
