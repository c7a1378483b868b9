/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Linear scan: intervals in the order of their starts; a place is free again
 * when the interval that had it has ended. Every size has its own places, so
 * that a row never changes its size.
 */
#include "flow.h"
#include "uniform.h"

/* Pools: 0: predicates, then elements of 1, 2, 4, 8, 16 bytes; then the homes of slots. */
enum { SIZES = 6, POOLS = SIZES + 3 };

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
		return 64; /* a cache line of its own: it is written often */
	return class == 1 ? 64 : 32 << (class - 1);
}

int32_t rows_bytes(enum ptx_type type)
{
	return class_bytes(size_class(type));
}

struct row_event {
	uint32_t at, index;
};

static int by_place(const void *a, const void *b)
{
	const struct row_event *x = a, *y = b;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return (x->index > y->index) - (x->index < y->index);
}

/* Places of one kind; the free ones, last freed on top. */
struct pool {
	int32_t *free; /* part of one owned array */
	size_t free_count;
	uint32_t slots;
};

static void collect(const struct body *body, const struct interval *intervals,
		    struct row_event *starts, struct row_event *ends, size_t *count)
{
	*count = 0;
	for (uint32_t r = 0; r < body->register_count; r++) {
		if (intervals[r].start > intervals[r].end)
			continue;
		starts[*count] = (struct row_event){ intervals[r].start, r };
		ends[*count] = (struct row_event){ intervals[r].end, r };
		++*count;
	}
	qsort(starts, *count, sizeof(*starts), by_place);
	qsort(ends, *count, sizeof(*ends), by_place);
}

/* What allocation works on. */
struct row_allocation {
	const struct body *body;
	const uint8_t *homes;
	struct pool pools[POOLS];
	int32_t *places;           /* owned by the caller: an offset, or a slot's number */
	int32_t rows_end;
};

static struct pool *pool_of(struct row_allocation *a, uint32_t r)
{
	enum home home = a->homes ? a->homes[r] : HOME_ROW;

	if (home != HOME_ROW)
		return &a->pools[SIZES + home - HOME_TEMPORARY];
	return &a->pools[size_class(a->body->register_types[r])];
}

static void place(struct row_allocation *a, uint32_t r)
{
	struct pool *pool = pool_of(a, r);
	unsigned class = (unsigned)(pool - a->pools);

	if (pool->free_count) {
		a->places[r] = pool->free[--pool->free_count];
	} else if (class >= SIZES) {
		a->places[r] = (int32_t)pool->slots++;
	} else {
		a->places[r] = a->rows_end;
		a->rows_end += class_bytes(class);
	}
}

/* A slot that belongs to one register alone is never free again. */
static void release_place(struct row_allocation *a, uint32_t r)
{
	struct pool *pool = pool_of(a, r);

	if (!a->homes || a->homes[r] != HOME_INVARIANT)
		pool->free[pool->free_count++] = a->places[r];
}

/* Slots follow the rows, those of one home together. */
static void place_slots(struct row_allocation *a, struct places *out)
{
	const struct pool *slots = &a->pools[SIZES];
	int32_t at[POOLS - SIZES], next = (a->rows_end + 63) & ~63;

	for (unsigned i = 0; i < POOLS - SIZES; i++) {
		at[i] = next;
		next += 8 * (int32_t)slots[i].slots;
	}
	for (uint32_t r = 0; a->homes && r < a->body->register_count; r++)
		if (a->homes[r] != HOME_ROW)
			a->places[r] = at[a->homes[r] - HOME_TEMPORARY] + 8 * a->places[r];
	out->variants = at[HOME_VARIANT - HOME_TEMPORARY];
	out->variant_count = slots[HOME_VARIANT - HOME_TEMPORARY].slots;
	out->end = (next + 63) & ~63;
}

int rows_allocate(const struct body *body, const struct interval *intervals,
		  const uint8_t *homes, int32_t start, struct places *out, struct err *e)
{
	size_t registers = body->register_count, count, ended = 0;
	CLEANUP(free_pointer) int32_t *places = calloc(registers + 1, sizeof(*places));
	CLEANUP(free_pointer) struct row_event *events =
		calloc(registers + 1, 2 * sizeof(*events));
	CLEANUP(free_pointer) int32_t *stacks = calloc(registers + 1, POOLS * sizeof(*stacks));
	struct row_allocation a = { .body = body, .homes = homes, .places = places,
				    .rows_end = start };
	struct row_event *ends;

	memset(out, 0, sizeof(*out));
	if (!places || !events || !stacks)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for %zu registers", registers);
	for (unsigned i = 0; i < POOLS; i++)
		a.pools[i].free = stacks + i * registers;
	ends = events + registers;
	collect(body, intervals, events, ends, &count);
	for (size_t i = 0; i < count; i++) {
		for (; ends[ended].at < events[i].at; ended++)
			release_place(&a, ends[ended].index);
		place(&a, events[i].index);
	}
	place_slots(&a, out);
	out->offsets = STEAL(places);
	return 0;
}
