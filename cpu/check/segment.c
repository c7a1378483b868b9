/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Segments: their memory, numbers and clock, and the state of a CTA. */
#include "segment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "asserts.h"
#include "config.h"
#include "line_rank.h"
#include "shadow_memory.h"
#include "visible.h"

enum { SEGMENTS = 1 << (32 - TAG_SHIFT) };

static_assert(sizeof(struct segment) == 32, "all segments together have 1 GiB of addresses");

struct segment *race_segments;
static _Atomic uint32_t era;
static atomic_bool exhausted;
static _Atomic uint64_t now; /* counts fences */

int race_prepare(struct err *e)
{
	void *at = mmap(NULL, (uint64_t)SEGMENTS * sizeof(*race_segments), PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (at == MAP_FAILED)
		return err_set(e, GPURUN_NO_MEMORY, "cannot reserve addresses for check=race");
	race_segments = at;
	return 0;
}

uint32_t race_launch(bool alone)
{
	if (!race_segments)
		return 0;
	ASSERT(atomic_load(&race_next) && atomic_load(&race_next) <= SEGMENTS);
	if (alone && atomic_load(&race_next) > SEGMENTS / 2) {
		race_forget_all();
		atomic_store(&race_next, 1);
		atomic_store(&exhausted, false);
		atomic_fetch_add(&era, 1);
	}
	return race_next_tag();
}

uint64_t race_now(void)
{
	return atomic_load(&now);
}

uint64_t race_tick(void)
{
	return atomic_fetch_add(&now, 1) + 1;
}

int race_start(struct cta *cta, struct err *e)
{
	struct race_cta *race = cta->race;
	uint64_t shared = (cta->shared_size + 8191ull) & ~4095ull;

	if (!race_segments || !(config.check & CHECK_RACE))
		return 0;
	if (!race || race->size < shared || race->era != atomic_load(&era)) {
		race_release(race);
		cta->race = race = calloc(1, sizeof(*race));
		if (!race || !(race->memory = race_cells_map(&race->cells, shared)))
			return err_set(e, GPURUN_NO_MEMORY, "no memory to check a block");
		race->size = shared;
		race->era = atomic_load(&era);
	}
	memset(race->arrived, 0, sizeof(race->arrived));
	race->floor = race_next_tag();
	ASSERT(race->size >= cta->shared_size && race->memory);
	return 0;
}

void race_release(struct race_cta *race)
{
	if (!race)
		return;
	if (race->memory)
		race_cells_unmap(race->memory, race->size);
	free(race);
}

static void say_exhausted(void)
{
	if (!atomic_exchange(&exhausted, true))
		visible_printf(stderr, "gpurun: %scheck: race: this launch is too long to be "
			       "checked to its end\n", line_rank());
}

uint32_t race_new_segment(const struct order *order, uint32_t cta, uint32_t warp)
{
	uint32_t number = atomic_load(&race_next);
	struct segment *segment;

	if (number < SEGMENTS)
		number = atomic_fetch_add(&race_next, 1);
	if (number >= SEGMENTS) {
		atomic_store(&race_next, SEGMENTS);
		say_exhausted();
		return 0;
	}
	ASSERT(number && order->line < ORDER_LINES);
	segment = &race_segments[number];
	atomic_store_explicit(&segment->released, 0, memory_order_relaxed);
	segment->number = order->number;
	segment->line = order->line;
	segment->cta = cta;
	segment->warp = warp;
	segment->next = 0;
	return number;
}
