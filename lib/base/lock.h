/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Locks in one order. Each mutex has a rank (lock_ranks.def), and a thread locks only those of a
 * later rank than all that it holds: so no two threads can wait for each other. Builds with asserts
 * (asserts.h) check that at each lock and abort where it is not so; others check nothing.
 * A library checks its own locks; across libraries the thread sanitizer does.
 */
#ifndef LIB_LOCK_H
#define LIB_LOCK_H

#include <pthread.h>
#include <stdbool.h>

#include "asserts.h"
#include "cleanup.h"

#define LOCKS_ARE_CHECKED ASSERTS

enum lock_rank {
#define LOCK_RANK(name, guards) LOCK_##name,
#include "lock_ranks.def"
};

/*
 * Notes that the calling thread is about to lock @lock, of any type, or has unlocked it. Aborts,
 * with both names on stderr, when the thread holds another one of the same or a later rank.
 * @lock again is allowed, for recursive mutexes.
 */
void lock_note(const void *lock, enum lock_rank rank);
void lock_forget(const void *lock);

/* Tells whether the calling thread holds a lock of @rank. For asserts alone: builds without them do
 * not know. Across libraries neither do those. */
bool lock_is_held(enum lock_rank rank);

static inline void lock_acquire(pthread_mutex_t *lock, enum lock_rank rank)
{
	if (LOCKS_ARE_CHECKED)
		lock_note(lock, rank);
	pthread_mutex_lock(lock);
}

static inline void lock_release(pthread_mutex_t *lock)
{
	pthread_mutex_unlock(lock);
	if (LOCKS_ARE_CHECKED)
		lock_forget(lock);
}

static inline void lock_cleanup(pthread_mutex_t **lock)
{
	lock_release(*lock);
}

/* Holds @lock up to the end of the block. */
#define LOCKED_BY(lock, rank)                                  \
	CLEANUP(lock_cleanup) pthread_mutex_t *held_ = (lock); \
	lock_acquire(held_, rank)

#endif
