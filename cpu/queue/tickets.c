/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tickets.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "asserts.h"

enum {
	LINE = 64,        /* bytes */
	CHUNK = 16,       /* CTAs that a taker gets at a time, at most */
	CHUNKS = 8,       /* each taker should get so many of them, so that all end together */
	COUNT_BITS = 5,   /* of what a taker keeps */
	COUNT = (1 << COUNT_BITS) - 1,
};

static_assert(CHUNK - 1 <= COUNT, "all but the first of a chunk are kept, and counted");

/* What a taker has kept: the first's index in the bits above the count. */
struct kept {
	_Atomic uint64_t word;
} __attribute__((aligned(LINE)));

struct tickets {
	uint64_t total;
	uint32_t chunk;
	unsigned takers;
	_Atomic uint64_t next __attribute__((aligned(LINE))); /* total or more: none is left */
	struct kept kept[];
};

static uint32_t chunk_of(uint64_t total, unsigned takers)
{
	const uint64_t chunk = total / CHUNKS / takers;

	if (!chunk || total > UINT64_MAX >> COUNT_BITS)
		return 1;
	return chunk < CHUNK ? (uint32_t)chunk : CHUNK;
}

struct tickets *tickets_new(uint64_t total, unsigned takers)
{
	struct tickets *t;

	ASSERT(takers);
	t = aligned_alloc(LINE, sizeof(*t) + takers * sizeof(t->kept[0]));

	if (!t)
		return NULL;
	t->total = total;
	t->chunk = chunk_of(total, takers);
	t->takers = takers;
	atomic_init(&t->next, 0);
	for (unsigned i = 0; i < takers; i++)
		atomic_init(&t->kept[i].word, 0);
	return t;
}

void tickets_free(struct tickets *t)
{
	free(t);
}

static bool pop_kept(struct kept *kept, uint64_t *index)
{
	uint64_t word = atomic_load(&kept->word);

	while (word & COUNT) {
		const uint64_t rest = word + (1 << COUNT_BITS) - 1;

		if (!atomic_compare_exchange_weak(&kept->word, &word, rest))
			continue;
		*index = word >> COUNT_BITS;
		ASSERT((rest & COUNT) == (word & COUNT) - 1 && rest >> COUNT_BITS == *index + 1);
		return true;
	}
	return false;
}

/* Only @taker stores to its own word, and only when that is empty. */
static bool pop_chunk(struct tickets *t, unsigned taker, uint64_t *index)
{
	const uint64_t first = atomic_load(&t->next) < t->total ?
				       atomic_fetch_add(&t->next, t->chunk) : t->total;
	uint64_t count;

	if (first >= t->total)
		return false;
	ASSERT(!(atomic_load(&t->kept[taker].word) & COUNT));
	count = t->total - first < t->chunk ? t->total - first : t->chunk;
	if (count > 1)
		atomic_store(&t->kept[taker].word, (first + 1) << COUNT_BITS | (count - 1));
	*index = first;
	return true;
}

bool tickets_next_kept(struct tickets *t, unsigned taker, uint64_t *index)
{
	ASSERT(taker < t->takers);
	return pop_kept(&t->kept[taker], index);
}

bool tickets_pop(struct tickets *t, unsigned taker, uint64_t *index)
{
	if (tickets_next_kept(t, taker, index) || pop_chunk(t, taker, index))
		return true;
	for (unsigned i = 1; i < t->takers; i++)
		if (pop_kept(&t->kept[(taker + i) % t->takers], index))
			return true;
	return false;
}

uint64_t tickets_cancel(struct tickets *t)
{
	const uint64_t taken = atomic_exchange(&t->next, t->total);
	uint64_t rest = taken < t->total ? t->total - taken : 0;

	for (unsigned i = 0; i < t->takers; i++)
		rest += atomic_exchange(&t->kept[i].word, 0) & COUNT;
	return rest;
}
