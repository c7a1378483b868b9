/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What the arena knows of one block, live or freed. Lookups read records
 * without a lock: their members are atomics, and a record is reused but never
 * freed.
 */
#ifndef CPU_RECORD_H
#define CPU_RECORD_H

#include "arena.h"
#include "asserts.h"

struct record {
	_Atomic uint64_t base, size, serial, owner;
	_Atomic(const char *) made_by, freed_by;
	_Atomic uint32_t kind, flags;
	atomic_bool live;
	struct record *next; /* in a free list */
};

/* Load and store what lookups read: with a value a lookup sees all that was stored before it. */
#define get(field)        atomic_load_explicit(&(field), memory_order_acquire)
#define set(field, value) atomic_store_explicit(&(field), value, memory_order_release)

static inline struct block record_block(const struct record *record)
{
	return (struct block){
		.base = get(record->base),
		.size = get(record->size),
		.kind = (enum block_kind)get(record->kind),
		.serial = get(record->serial),
		.owner = get(record->owner),
		.flags = get(record->flags),
		.made_by = get(record->made_by),
		.freed_by = get(record->freed_by),
	};
}

/*
 * Copies the live block of @record that holds @address; false when there is none. Its block may
 * end meanwhile and another one replace it: the copy is all of one of them.
 */
static inline bool record_find(const struct record *record, uint64_t address,
			       struct block *block)
{
	uint64_t serial;

	do {
		serial = get(record->serial);
		if (!get(record->live))
			return false;
		*block = record_block(record);
	} while (!get(record->live) || get(record->serial) != serial);
	return address - block->base < block->size;
}

/* Makes @record a live block; record_find() relies on the order. */
static inline void record_publish(struct record *record, const struct block *block)
{
	ASSERT(!get(record->live) && block->size && block->base + block->size - 1 >= block->base);
	set(record->base, block->base);
	set(record->size, block->size);
	set(record->kind, (uint32_t)block->kind);
	set(record->serial, block->serial);
	set(record->owner, block->owner);
	set(record->flags, block->flags);
	set(record->made_by, block->made_by);
	set(record->freed_by, NULL);
	set(record->live, true);
}

/* Ends the block of @record. */
static inline void record_end(struct record *record)
{
	ASSERT(get(record->live));
	set(record->live, false);
	atomic_fetch_add(&arena_ends, 1);
}

/* Reports a live block of @record as arena_report_leaks() does. */
void record_report_leak(const struct record *record, unsigned kinds,
			bool (*is_ending)(uint64_t owner, uint64_t ending), uint64_t ending);

/* A first-in first-out list of records. */
struct queue {
	struct record *first, **last;
	size_t count;
};

static inline void queue_push(struct queue *queue, struct record *record)
{
	ASSERT(!get(record->live) && !queue->first == !queue->count);
	record->next = NULL;
	if (!queue->first)
		queue->last = &queue->first;
	*queue->last = record;
	queue->last = &record->next;
	queue->count++;
}

/* Removes and returns the oldest one, or NULL. */
static inline struct record *queue_pop(struct queue *queue)
{
	struct record *record = queue->first;

	ASSERT(!queue->first == !queue->count && (!record || !get(record->live)));
	if (record) {
		queue->first = record->next;
		queue->count--;
	}
	return record;
}

#endif
