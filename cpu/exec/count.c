/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* count=1: what only execution knows of an access, which memory it is to; the sums of a launch. */
#include <string.h>

#include "bulk.h"
#include "counted.h"
#include "warp.h"

static void add(struct warp *w, bool shared, uint64_t read, uint64_t written)
{
	uint64_t *at = w->cta->counted.at;

	at[shared ? COUNTED_SHARED_READ : COUNTED_GLOBAL_READ] += read;
	at[shared ? COUNTED_SHARED_WRITTEN : COUNTED_GLOBAL_WRITTEN] += written;
}

/* Memory of other spaces, which caches of its own serve, is not counted. */
void count_generic(struct warp *w, const struct op *ip, uint32_t read, uint32_t written)
{
	const uint64_t *row = (const uint64_t *)(w->rows + ip->a);

	FOR_BITS(l, w->mask)
	{
		const uint64_t address = row[l] + (uint64_t)ip->imm;

		if (memory_within(w, address, PTX_SHARED_CLUSTER))
			add(w, true, read, written);
		else if (memory_within(w, address, PTX_GLOBAL))
			add(w, false, read, written);
	}
}

void count_moved(struct warp *w, const struct transfer *transfer, uint64_t there, uint64_t size)
{
	const bool shared = memory_within(w, there, PTX_SHARED_CLUSTER);

	add(w, shared, !transfer->to_global || transfer->reduces ? size : 0,
	    transfer->to_global ? size : 0);
}

void count_shared(struct warp *w, int32_t flags, uint64_t size)
{
	const bool reads = flags & BULK_TO_GLOBAL;

	add(w, true, reads || flags & BULK_REDUCES ? size : 0, reads ? 0 : size);
}

void count_end(struct cta *cta)
{
	for (unsigned i = 0; i < COUNTED_KINDS; i++)
		atomic_fetch_add_explicit(&cta->launch->counted[i], cta->counted.at[i],
					  memory_order_relaxed);
	memset(&cta->counted, 0, sizeof(cta->counted));
}
