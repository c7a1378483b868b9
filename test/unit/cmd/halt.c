/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The main thread is halted at its next point; until then its lock is waited for, not for ever. */
#include "halt.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "signals.h"
#include "tap.h"

static atomic_int locked, passed; /* points that the other thread has passed */
static atomic_bool may_unlock, may_pass;

static void nap(int milliseconds)
{
	const struct timespec time = { milliseconds / 1000, milliseconds % 1000 * 1000000L };

	nanosleep(&time, NULL);
}

static uint64_t now_ms(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000 + (uint64_t)time.tv_nsec / 1000000;
}

/* In the place of the main thread: it holds the lock for a while, then passes a point twice. */
static void *run(void *unused)
{
	halt_lock();
	atomic_store(&locked, 1);
	while (!atomic_load(&may_unlock))
		nap(1);
	halt_unlock();
	halt_point();
	atomic_store(&passed, 1);
	while (!atomic_load(&may_pass))
		nap(1);
	halt_point();
	atomic_store(&passed, 2);
	return unused;
}

static void wait_until(atomic_int *is, int value)
{
	for (int i = 0; i < 5000 && atomic_load(is) != value; i++)
		nap(1);
	CHECK_INT(atomic_load(is), value);
}

static void test_halt(void)
{
	struct order order = { 0 };
	uint64_t begin = now_ms();
	int parent = -1;
	pthread_t thread;
	struct err e;

	REQUIRE(!signals_install(&e) && !pthread_create(&thread, NULL, run, NULL));
	CHECK(!halt_is_exempt());
	halt_exempt();
	CHECK(halt_is_exempt());
	wait_until(&locked, 1);
	CHECK(!halt_try(0));
	CHECK(!halt_try(40) && now_ms() - begin >= 40);
	atomic_store(&may_unlock, true);
	CHECK(halt_try(5000));
	halt_unlock();
	wait_until(&passed, 1);
	halt_begin();
	atomic_store(&may_pass, true);
	CHECK(signals_next(&parent, 5000, &order) && order.parked && !order.number);
	nap(20);
	CHECK_INT(atomic_load(&passed), 1);
	halt_point(); /* the thread that ends the process passes */
	halt_lock();
	halt_unlock();
}

int main(void)
{
	RUN(test_halt);
	return tap_end();
}
