/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "extents.h"

#include <stdlib.h>
#include <string.h>

#include "asserts.h"

#define FIRST_CAPACITY 16

bool extents_init(struct extents *extents, uint64_t count, uint64_t origin)
{
	ASSERT(count);
	*extents = (struct extents){ .capacity = FIRST_CAPACITY, .origin = origin };
	extents->items = calloc(FIRST_CAPACITY, sizeof(*extents->items));
	if (!extents->items)
		return false;
	extents->items[0] = (struct extent){ 0, count };
	extents->count = 1;
	return true;
}

/* Where granules fit into the extent at @index at or after @from; UINT64_MAX: nowhere. */
static uint64_t fit(const struct extents *extents, size_t index, uint64_t from, uint64_t count,
		    uint64_t align)
{
	const struct extent *extent = &extents->items[index];
	uint64_t start = extent->start < from ? from : extent->start;
	uint64_t end = extent->start + extent->count;

	ASSERT(index < extents->count && align && !(align & (align - 1)));
	start = ((start + extents->origin + align - 1) & ~(align - 1)) - extents->origin;
	return start < end && end - start >= count ? start : UINT64_MAX;
}

static void remove_at(struct extents *extents, size_t index)
{
	ASSERT(index < extents->count);
	extents->count--;
	memmove(&extents->items[index], &extents->items[index + 1],
		(extents->count - index) * sizeof(*extents->items));
}

static void insert_at(struct extents *extents, size_t index, uint64_t start, uint64_t count)
{
	ASSERT(count && index <= extents->count && extents->count < extents->capacity);
	memmove(&extents->items[index + 1], &extents->items[index],
		(extents->count - index) * sizeof(*extents->items));
	extents->items[index] = (struct extent){ start, count };
	extents->count++;
}

/*
 * Makes room for one more allocated span, and for the release of all of them: there is at most
 * one free extent more than allocated spans.
 */
static bool have_room(struct extents *extents)
{
	struct extent *grown;

	if (extents->allocated + 2 <= extents->capacity)
		return true;
	grown = reallocarray(extents->items, extents->capacity * 2, sizeof(*grown));
	if (!grown)
		return false;
	extents->items = grown;
	extents->capacity *= 2;
	return true;
}

/* Tells whether the extent at @index is in order with its neighbours and touches none of them. For
 * asserts. */
static inline bool is_in_order(const struct extents *extents, size_t index)
{
	const struct extent *extent = &extents->items[index];

	return (!index || extent[-1].start + extent[-1].count < extent->start) &&
	       (index + 1 == extents->count ||
		extent->start + extent->count < extent[1].start);
}

/* Removes granules from the extent at @index. */
static void cut(struct extents *extents, size_t index, uint64_t start, uint64_t count)
{
	struct extent old = extents->items[index];
	uint64_t before = start - old.start, after = old.count - before - count;

	ASSERT(start >= old.start && before + count <= old.count);
	remove_at(extents, index);
	if (after)
		insert_at(extents, index, start + count, after);
	if (before)
		insert_at(extents, index, old.start, before);
	ASSERT(!(before || after) || is_in_order(extents, index));
}

static bool allocate_from(struct extents *extents, uint64_t from, uint64_t count, uint64_t align,
			  uint64_t *start)
{
	for (size_t i = 0; i < extents->count; i++) {
		*start = fit(extents, i, from, count, align);
		if (*start == UINT64_MAX)
			continue;
		cut(extents, i, *start, count);
		extents->allocated++;
		extents->rover = *start + count;
		return true;
	}
	return false;
}

bool extents_allocate(struct extents *extents, uint64_t count, uint64_t align, uint64_t *start)
{
	ASSERT(count);
	return have_room(extents) &&
	       (allocate_from(extents, extents->rover, count, align, start) ||
		allocate_from(extents, 0, count, align, start));
}

/* How many extents start before @start. */
static size_t count_before(const struct extents *extents, uint64_t start)
{
	size_t low = 0, high = extents->count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (extents->items[middle].start < start)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

void extents_release(struct extents *extents, uint64_t start, uint64_t count)
{
	size_t index = count_before(extents, start);
	struct extent *before = index ? &extents->items[index - 1] : NULL;
	struct extent *after = index < extents->count ? &extents->items[index] : NULL;

	ASSERT(count && extents->allocated);
	ASSERT(!before || before->start + before->count <= start);
	ASSERT(!after || start + count <= after->start);
	extents->allocated--;
	if (before && before->start + before->count != start)
		before = NULL;
	if (after && start + count != after->start)
		after = NULL;
	if (before && after) {
		before->count += count + after->count;
		remove_at(extents, index);
	} else if (before) {
		before->count += count;
	} else if (after) {
		*after = (struct extent){ start, after->count + count };
	} else {
		insert_at(extents, index, start, count);
	}
}
