/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "halt.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "asserts.h"
#include "lock.h"
#include "signals.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool halting;
static __thread bool exempt;

static bool is_halted(void)
{
	return atomic_load(&halting) && !exempt;
}

static _Noreturn void park(void)
{
	ASSERT(!exempt && !lock_is_held(LOCK_STOP));
	signals_parked();
	for (;;)
		pause();
}

void halt_point(void)
{
	if (is_halted())
		park();
}

void halt_lock(void)
{
	lock_acquire(&lock, LOCK_STOP);
	if (!is_halted())
		return;
	lock_release(&lock);
	park();
}

void halt_unlock(void)
{
	ASSERT(lock_is_held(LOCK_STOP) || exempt); /* halt_try() has no order to hold */
	lock_release(&lock);
}

void halt_exempt(void)
{
	exempt = true;
}

bool halt_is_exempt(void)
{
	return exempt;
}

bool halt_try(int milliseconds)
{
	const struct timespec nap = { 0, 1000000 };

	ASSERT(exempt && milliseconds >= 0);
	for (int i = 0; pthread_mutex_trylock(&lock); i++) {
		if (i == milliseconds)
			return false;
		nanosleep(&nap, NULL);
	}
	return true;
}

void halt_begin(void)
{
	ASSERT(exempt);
	atomic_store(&halting, true);
}
