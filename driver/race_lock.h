/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Locks of race checking: held for a few cells and a moment, by whoever looks at them. */
#ifndef DRIVER_RACE_LOCK_H
#define DRIVER_RACE_LOCK_H

#include <stddef.h>
#include <stdint.h>

/* Of the cells of some stripes of memory: whoever looks at them and changes them holds it. */
struct race_lock {
	_Alignas(64) uint32_t held;
};

/* Waits for @lock a moment. */
void race_wait(void);

static inline void race_take(struct race_lock *lock)
{
	while (__builtin_expect(__atomic_exchange_n(&lock->held, 1, __ATOMIC_ACQUIRE) != 0, 0))
		race_wait();
}

static inline void race_give(struct race_lock *lock)
{
	__atomic_store_n(&lock->held, 0, __ATOMIC_RELEASE);
}

/* The locks of a few bytes; the second of those that two stripes have, else NULL. */
struct race_hold {
	struct race_lock *locks[2];
};

static inline void race_let_go(struct race_hold hold)
{
	if (!hold.locks[0])
		return;
	race_give(hold.locks[0]);
	if (hold.locks[1])
		race_give(hold.locks[1]);
}

/* Takes again what race_let_go() gave back. */
static inline void race_hold_again(struct race_hold hold)
{
	if (!hold.locks[0])
		return;
	race_take(hold.locks[0]);
	if (hold.locks[1])
		race_take(hold.locks[1]);
}

#endif
