/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The program's own memory that it has registered, by address. Lookups need no
 * lock; changes are made under the arena's.
 */
#ifndef CPU_REGISTERED_H
#define CPU_REGISTERED_H

#include "record.h"

/* Finds the block that holds @address. Needs no lock. */
bool registered_find(uint64_t address, struct block *block);

/* Tells whether a block overlaps @base .. @base + @size - 1. */
bool registered_overlaps(uint64_t base, uint64_t size);

/* Makes sure that the next registered_add() has room; false when memory is exhausted. */
bool registered_room(void);

/* Adds the block of @record, which overlaps no other. */
void registered_add(struct record *record);

/* The block that starts at @base; NULL when there is none. */
struct record *registered_at(uint64_t base);

/* Removes the block that starts at @base; NULL when there is none. */
struct record *registered_remove(uint64_t base);

#endif
