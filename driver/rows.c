/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Linear scan: intervals in the order of their starts; a place is free again
 * once the interval that had it has ended. Every size has its own places, so
 * that a row never changes its size.
 */
#include "flow.h"

enum { SIZES = 6 }; /* 0: predicates, then elements of 1, 2, 4, 8, 16 bytes */

static unsigned size_class(enum ptx_type type)
{
	unsigned bytes = type_size(type), class = 0;

	for (; bytes; bytes >>= 1)
		class++;
	return class;
}

static int32_t class_bytes(unsigned class)
{
	if (!class)
		return 64; /* a line to itself: it is written all the time */
	return class == 1 ? 64 : 32 << (class - 1);
}

struct event {
	uint32_t at, index;
};

static int by_place(const void *a, const void *b)
{
	const struct event *x = a, *y = b;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return (x->index > y->index) - (x->index < y->index);
}

/* The free places of one size, last freed on top. */
struct places {
	int32_t *free; /* part of one owned array */
	size_t count;
};

static void collect(const struct body *body, const struct interval *intervals,
		    struct event *starts, struct event *ends, size_t *count)
{
	*count = 0;
	for (uint32_t r = 0; r < body->register_count; r++) {
		if (intervals[r].start > intervals[r].end)
			continue;
		starts[*count] = (struct event){ intervals[r].start, r };
		ends[*count] = (struct event){ intervals[r].end, r };
		++*count;
	}
	qsort(starts, *count, sizeof(*starts), by_place);
	qsort(ends, *count, sizeof(*ends), by_place);
}

int rows_allocate(const struct body *body, const struct interval *intervals, int32_t start,
		  int32_t **offsets, int32_t *end, uint32_t *live, struct err *e)
{
	size_t registers = body->register_count, count, ended = 0;
	CLEANUP(free_pointer) int32_t *places = calloc(registers + 1, sizeof(*places));
	CLEANUP(free_pointer) struct event *events = calloc(registers + 1, 2 * sizeof(*events));
	CLEANUP(free_pointer) int32_t *stacks = calloc(registers + 1, SIZES * sizeof(*stacks));
	struct places pools[SIZES] = { 0 };

	*offsets = NULL;
	if (!places || !events || !stacks)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for %zu registers", registers);
	for (unsigned class = 0; class < SIZES; class++)
		pools[class].free = stacks + class * registers;
	struct event *ends = events + registers;

	collect(body, intervals, events, ends, &count);
	*end = start;
	for (size_t i = 0; i < count; i++) {
		uint32_t r = events[i].index;
		struct places *pool = &pools[size_class(body->register_types[r])];

		for (; ends[ended].at < events[i].at; ended++) {
			uint32_t gone = ends[ended].index;
			struct places *from = &pools[size_class(body->register_types[gone])];

			from->free[from->count++] = places[gone];
		}
		if (pool->count) {
			places[r] = pool->free[--pool->count];
			continue;
		}
		places[r] = *end;
		*end += class_bytes((unsigned)(pool - pools));
		if (pool != pools)
			*live += (uint32_t)(class_bytes((unsigned)(pool - pools)) + 64) / 128;
	}
	*offsets = STEAL(places);
	return 0;
}
