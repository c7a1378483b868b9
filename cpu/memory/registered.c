/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A sorted array of atomics, with a sequence number that is odd while it
 * changes: a lookup that saw a change starts again. An array that has become
 * too small is kept, because a lookup may still be reading it; all of these
 * together are smaller than the last one.
 */
#include "registered.h"

#include <stdlib.h>

#include "asserts.h"
#include "lock.h"

struct array {
	size_t capacity;
	struct array *before; /* owned; the one that this replaced */
	struct record *_Atomic records[];
};

static struct array *_Atomic current;
static _Atomic uint64_t count;
static _Atomic uint64_t sequence;

/* How many blocks start below @address; wrong if they change meanwhile. */
static size_t count_below(const struct array *array, uint64_t address)
{
	size_t low = 0, high = get(count);

	if (!array)
		return 0;
	if (high > array->capacity)
		high = array->capacity;
	while (low < high) {
		size_t middle = (low + high) / 2;
		struct record *record = get(array->records[middle]);

		if (record && get(record->base) < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool try_find(uint64_t address, struct block *block)
{
	const struct array *array = get(current);
	size_t below = count_below(array, address + 1);
	const struct record *record = below ? get(array->records[below - 1]) : NULL;

	return record && record_find(record, address, block);
}

bool registered_find(uint64_t address, struct block *block)
{
	uint64_t before;
	bool found;

	if (!get(count))
		return false;
	do {
		before = get(sequence);
		found = try_find(address, block);
	} while ((before & 1) || get(sequence) != before);
	return found;
}

bool registered_overlaps(uint64_t base, uint64_t size)
{
	const struct array *array = get(current);
	size_t below = count_below(array, base + size);
	const struct record *record;

	if (!below)
		return false;
	record = get(array->records[below - 1]);
	return base < get(record->base) + get(record->size);
}

bool registered_room(void)
{
	struct array *old = get(current), *grown;
	size_t capacity = old ? old->capacity * 2 : 16;

	if (old && get(count) < old->capacity)
		return true;
	grown = calloc(1, sizeof(*grown) + capacity * sizeof(grown->records[0]));
	if (!grown)
		return false;
	grown->capacity = capacity;
	grown->before = old;
	for (size_t i = 0; old && i < old->capacity; i++)
		set(grown->records[i], get(old->records[i]));
	set(current, grown);
	return true;
}

void registered_add(struct record *record)
{
	struct array *array = get(current);
	size_t index = count_below(array, get(record->base)), last = get(count);

	ASSERT(lock_is_held(LOCK_ARENA) && last < array->capacity);
	ASSERT(!registered_overlaps(get(record->base), get(record->size)));
	atomic_fetch_add(&sequence, 1);
	for (size_t i = last; i > index; i--)
		set(array->records[i], get(array->records[i - 1]));
	set(array->records[index], record);
	set(count, last + 1);
	atomic_fetch_add(&sequence, 1);
}

struct record *registered_at(uint64_t base)
{
	struct array *array = get(current);
	size_t index = count_below(array, base);
	struct record *record = index < get(count) ? get(array->records[index]) : NULL;

	return record && get(record->base) == base ? record : NULL;
}

struct record *registered_remove(uint64_t base)
{
	struct array *array = get(current);
	size_t index = count_below(array, base), last = get(count);
	struct record *record = registered_at(base);

	if (!record)
		return NULL;
	ASSERT(lock_is_held(LOCK_ARENA) && index < last);
	atomic_fetch_add(&sequence, 1);
	for (size_t i = index; i + 1 < last; i++)
		set(array->records[i], get(array->records[i + 1]));
	set(count, last - 1);
	atomic_fetch_add(&sequence, 1);
	return record;
}
