/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "driver.h"

#include <stdatomic.h>

#include "asserts.h"
#include "lock.h"

pthread_mutex_t driver_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static unsigned waiting; /* threads in wait_change() */
static atomic_int state;

enum driver_state driver_state(void)
{
	return (enum driver_state)atomic_load(&state);
}

bool driver_enter_state(enum driver_state from, enum driver_state to)
{
	int expected = (int)from;

	ASSERT(from <= DRIVER_FORKED && to <= DRIVER_FORKED && to != DRIVER_NEW);
	return atomic_compare_exchange_strong(&state, &expected, (int)to);
}

CUresult driver_result(void)
{
	switch (driver_state()) {
	case DRIVER_READY:
		return CUDA_SUCCESS;
	case DRIVER_ENDED:
		return CUDA_ERROR_DEINITIALIZED;
	case DRIVER_NEW:
	case DRIVER_FORKED:
		break;
	}
	return CUDA_ERROR_NOT_INITIALIZED;
}

bool driver_ended(void)
{
	return driver_state() == DRIVER_ENDED;
}

void driver_lock(void)
{
	lock_acquire(&driver_mutex, LOCK_DRIVER);
}

void driver_unlock(void)
{
	lock_release(&driver_mutex);
}

CUresult wait_change(void)
{
	ASSERT(lock_is_held(LOCK_DRIVER));
	waiting++;
	pthread_cond_wait(&changed, &driver_mutex);
	waiting--;
	return driver_result();
}

void driver_changed(void)
{
	ASSERT(lock_is_held(LOCK_DRIVER));
	if (waiting)
		pthread_cond_broadcast(&changed);
}
