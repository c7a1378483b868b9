/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "lock.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST_HELD = 16 };

static const char *const names[] = {
#define LOCK_RANK(name, guards) [LOCK_##name] = #name,
#include "lock_ranks.def"
};

static _Thread_local struct {
	const void *lock;
	enum lock_rank rank;
} held[MOST_HELD];
static _Thread_local unsigned count;

static void stop(enum lock_rank wanted, enum lock_rank other)
{
	fprintf(stderr, "gpurun: lock %s is wanted by a thread that holds %s: see lock_ranks.def\n",
		names[wanted], names[other]);
	abort();
}

void lock_note(const void *lock, enum lock_rank rank)
{
	ASSERT(lock && rank < sizeof(names) / sizeof(names[0]));
	for (unsigned i = 0; i < count; i++)
		if (held[i].rank >= rank && held[i].lock != lock)
			stop(rank, held[i].rank);
	if (count == MOST_HELD)
		abort();
	held[count].lock = lock;
	held[count++].rank = rank;
}

void lock_forget(const void *lock)
{
	unsigned at = count;

	while (at && held[at - 1].lock != lock)
		at--;
	if (!at)
		return;
	for (count--; at <= count; at++)
		held[at - 1] = held[at];
}

bool lock_is_held(enum lock_rank rank)
{
	for (unsigned i = 0; i < count; i++)
		if (held[i].rank == rank)
			return true;
	return false;
}
