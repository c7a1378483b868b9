/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * 63..32 generation | 31..28 kind | 27..4 slot + 1 | 3..0 zero. A value is
 * aligned like a pointer and is never one of the small numbers that mean
 * streams.
 */
#include "handle.h"

#include <stddef.h>

#include "array.h"
#include "asserts.h"
#include "lock.h"

#define MAX_SLOTS ((1u << 24) - 2)

static_assert(MAX_SLOTS <= 0xffffff, "a slot and one more have 24 bits of a handle");

struct slot {
	void *object;
	uint32_t generation; /* of the newest handle */
	uint32_t kind;
	uint32_t next_free;  /* slot + 1, or 0 */
};

static struct slot *slots; /* owned */
static size_t slot_count;
static uint32_t first_free; /* slot + 1, or 0 */

static struct slot *slot_allocate(uint32_t *index)
{
	struct slot *slot;

	if (first_free) {
		*index = first_free - 1;
		slot = &slots[*index];
		ASSERT(*index < slot_count && !slot->object);
		first_free = slot->next_free;
		return slot;
	}
	if (slot_count >= MAX_SLOTS)
		return NULL;
	*index = (uint32_t)slot_count;
	slot = array_grow(&slots, slot_count, sizeof(*slot));
	if (slot)
		slot_count++;
	return slot;
}

void *handle_new(enum handle_kind kind, void *object)
{
	uint32_t index;
	struct slot *slot = slot_allocate(&index);

	ASSERT(lock_is_held(LOCK_DRIVER) && object && kind > HANDLE_NONE && kind < HANDLE_KINDS);
	if (!slot)
		return NULL;
	slot->object = object;
	slot->kind = kind;
	slot->generation++;
	return (void *)(uintptr_t)((uint64_t)slot->generation << 32 | (uint64_t)kind << 28 |
				   (uint64_t)(index + 1) << 4);
}

/* The slot whose newest handle is @handle, live or not; or NULL. */
static struct slot *slot_of(const void *handle)
{
	uint64_t value = (uintptr_t)handle;
	uint64_t index = (value >> 4 & 0xffffff) - 1;

	if (value & 15 || index >= slot_count)
		return NULL;
	if (slots[index].generation != value >> 32 || slots[index].kind != (value >> 28 & 15))
		return NULL;
	return &slots[index];
}

void *handle_object(const void *handle, enum handle_kind kind)
{
	const struct slot *slot = slot_of(handle);

	ASSERT(lock_is_held(LOCK_DRIVER));
	return slot && slot->kind == (uint32_t)kind ? slot->object : NULL;
}

enum handle_kind handle_kind(const void *handle)
{
	uint64_t value = (uintptr_t)handle;
	uint64_t index = (value >> 4 & 0xffffff) - 1;
	uint64_t kind = value >> 28 & 15, generation = value >> 32;

	if (value & 15 || index >= slot_count || !generation ||
	    generation > slots[index].generation || kind >= HANDLE_KINDS)
		return HANDLE_NONE;
	return (enum handle_kind)kind;
}

void handle_free(void *handle)
{
	struct slot *slot = slot_of(handle);

	ASSERT(lock_is_held(LOCK_DRIVER));
	if (!slot || !slot->object)
		return;
	slot->object = NULL;
	slot->next_free = first_free;
	first_free = (uint32_t)(slot - slots) + 1;
}
