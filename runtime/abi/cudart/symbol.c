/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A hash table with open addressing, under a lock that readers share. A symbol
 * that was removed leaves a mark, so that the search for others continues after it;
 * a table that is made anew has none: of the same size, where they filled the old one.
 */
#include "symbol.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#include "cleanup.h"
#include "hash.h"
#include "lock.h"

static struct {
	struct symbol **slots;
	size_t size; /* a power of two, or 0 */
	size_t used; /* marks among them */
	size_t live; /* without them */
} table;
static struct symbol removed; /* the mark */
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void lock_for_writing(void)
{
	if (LOCKS_ARE_CHECKED)
		lock_note(&lock, LOCK_SYMBOLS);
	pthread_rwlock_wrlock(&lock);
}

static void lock_for_reading(void)
{
	if (LOCKS_ARE_CHECKED)
		lock_note(&lock, LOCK_SYMBOLS);
	pthread_rwlock_rdlock(&lock);
}

static void unlock(void)
{
	pthread_rwlock_unlock(&lock);
	if (LOCKS_ARE_CHECKED)
		lock_forget(&lock);
}

static size_t slot_of(const void *key, size_t size)
{
	/* Pointers differ in the middle; the multiplication carries that upwards. */
	return (size_t)(hash_u64((uintptr_t)key) >> 32) & (size - 1);
}

/* The slot of @key; for a key that is not there, the empty one where the search ends. */
static struct symbol **find_symbol_slot(struct symbol **slots, size_t size, const void *key)
{
	size_t at = slot_of(key, size);

	while (slots[at] && (slots[at] == &removed || slots[at]->key != key))
		at = (at + 1) & (size - 1);
	return &slots[at];
}

/* Keeps a quarter of the slots empty. */
static cudaError_t make_room(void)
{
	size_t size = table.size ? table.size : 64;
	struct symbol **slots;

	if (table.used + 1 <= table.size / 4 * 3)
		return cudaSuccess;
	if (table.live + 1 > size / 2)
		size *= 2;
	slots = calloc(size, sizeof(struct symbol *));
	if (!slots)
		return cudaErrorMemoryAllocation;
	table.used = 0;
	for (size_t i = 0; i < table.size; i++)
		if (table.slots[i] && table.slots[i] != &removed) {
			*find_symbol_slot(slots, size, table.slots[i]->key) = table.slots[i];
			table.used++;
		}
	free(table.slots);
	table.slots = slots;
	table.size = size;
	return cudaSuccess;
}

static cudaError_t insert_symbol(struct symbol *symbol)
{
	struct symbol **slot;

	TRY(make_room());
	slot = find_symbol_slot(table.slots, table.size, symbol->key);
	table.used += !*slot;
	table.live += !*slot;
	*slot = symbol;
	return cudaSuccess;
}

cudaError_t symbol_add(struct symbol *symbol)
{
	cudaError_t result;

	lock_for_writing();
	result = insert_symbol(symbol);
	unlock();
	return result;
}

void symbol_remove(const struct symbol *symbol)
{
	struct symbol **slot;

	lock_for_writing();
	slot = table.size ? find_symbol_slot(table.slots, table.size, symbol->key) : NULL;
	if (slot && *slot == symbol) {
		*slot = &removed;
		table.live--;
	}
	unlock();
}

struct symbol *symbol_find(const void *key)
{
	struct symbol *symbol;

	lock_for_reading();
	symbol = table.size && key ? *find_symbol_slot(table.slots, table.size, key) : NULL;
	unlock();
	return symbol;
}
