/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdio.h>

#include "asserts.h"
#include "finding.h"
#include "segment.h"

/* The thread of @tag in @block, and its block in @grid. */
static void find_thread(const struct segment *segment, uint32_t tag,
			const struct order_description *of, uint32_t thread[3], uint32_t block[3])
{
	const uint32_t index = segment->warp * LANES + (tag & TAG_LANE), cta = segment->cta;

	ASSERT(cta != SEGMENT_TRANSFER && segment->warp < DEVICE_MAX_THREADS / LANES);
	thread[0] = index % of->block[0];
	thread[1] = index / of->block[0] % of->block[1];
	thread[2] = index / of->block[0] / of->block[1];
	block[0] = cta % of->grid[0];
	block[1] = cta / of->grid[0] % of->grid[1];
	block[2] = cta / of->grid[0] / of->grid[1];
}

void race_describe(uint64_t number, uint32_t tag, char *text, size_t size, struct about *about)
{
	const struct segment *segment = segment_of(tag);
	uint32_t *t = about->other_thread, *b = about->other_block;
	char thread[128] = "", stream[40];
	struct order_description of;
	bool known;

	order_describe(segment->number, &of);
	order_name_stream(of.stream, stream, sizeof(stream));
	known = of.block[0] && segment->cta != SEGMENT_TRANSFER;
	if (known) {
		find_thread(segment, tag, &of, t, b);
		snprintf(thread, sizeof(thread), "%sthread (%u,%u,%u) of block (%u,%u,%u)",
			 tag & TAG_SEVERAL ? "other threads besides " : "", t[0], t[1], t[2], b[0],
			 b[1], b[2]);
	}
	if (segment->number == number)
		snprintf(text, size, "%s", thread[0] ? thread : "another thread");
	else if (!of.name[0])
		snprintf(text, size, "an operation of long ago");
	else
		snprintf(text, size, "%s%s%s %s", thread, thread[0] ? " of " : "", of.name,
			 stream);
	about->other = text;
	about->has_other = known && segment->number == number;
}

void race_report(const struct warp *w, const struct op *ip, const struct check_access *access,
		 unsigned lane, uint32_t tag, bool written)
{
	const struct order *order = w->cta->launch->order;
	char where[256] = "shared memory", who[320], stream[40] = "";
	uint64_t at = access->at[lane];
	struct about about = access_about(KIND_RACE, access, at);

	ASSERT(lane < LANES && tag >> TAG_SHIFT);
	if (!finding_is_news(w, ip, CHECK_RACE))
		return;
	if (at - (uint64_t)w->shared < w->shared_size && !access->shared)
		about = about_shared(KIND_RACE, about.access, access->size,
				     at - (uint64_t)w->shared);
	else if (!access->shared)
		memory_describe(w, at, where, sizeof(where));
	race_describe(order->number, tag, who, sizeof(who), &about);
	about.other_access = written ? "write" : "read";
	if (segment_of(tag)->number != order->number) {
		stream[0] = ' ';
		order_name_stream(order->stream, stream + 1, sizeof(stream) - 1);
	}
	finding_add(w, ip, 1u << lane, CHECK_RACE, about,
		    "%s of %u bytes at %#llx%s, which %s %s; nothing orders the two: %s",
		    access_verb(access->kind), access->size, (unsigned long long)at, stream, who,
		    written ? "wrote" : "read", where);
}
