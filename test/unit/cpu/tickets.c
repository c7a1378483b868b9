/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Assigning CTAs: each once, neighbours to the same taker, none held back from the others. */
#include "tickets.h"

#include <pthread.h>
#include <stdatomic.h>

#include "tap.h"

enum { TOTAL = 100000, TAKERS = 3 };

static atomic_uint taken[TOTAL];
static struct tickets *shared;

static void test_alone(void)
{
	CLEANUP(free_tickets) struct tickets *t = tickets_new(1000, 1);
	uint64_t index;

	for (uint64_t i = 0; i < 1000; i++) {
		CHECK(tickets_pop(t, 0, &index));
		CHECK_INT(index, i);
	}
	CHECK(!tickets_pop(t, 0, &index));
	CHECK(!tickets_next_kept(t, 0, &index));
	CHECK_INT(tickets_cancel(t), 0);
}

/* Two take turns: each one's are next to each other. */
static void test_neighbours(void)
{
	CLEANUP(free_tickets) struct tickets *t = tickets_new(1024, 2);
	uint64_t index[2], next[2];
	unsigned apart = 0;

	CHECK(tickets_pop(t, 0, &index[0]) && tickets_pop(t, 1, &index[1]));
	for (unsigned i = 0, k = 0; i < 1000; i++, k = !k) {
		CHECK(tickets_pop(t, k, &next[k]));
		apart += next[k] != index[k] + 1;
		index[k] = next[k];
	}
	CHECK(apart >= 2 && apart <= 1000 / 16 + 2);
}

/* What one has taken and does not begin, the other gets. */
static void test_held_back(void)
{
	CLEANUP(free_tickets) struct tickets *t = tickets_new(256, 2);
	uint64_t index, sum = 0;

	CHECK(tickets_pop(t, 0, &index));
	CHECK_INT(index, 0);
	while (tickets_pop(t, 1, &index))
		sum += index;
	CHECK_INT(sum, 255 * 256 / 2);
	CHECK(!tickets_pop(t, 0, &index));
}

static void test_few(void)
{
	CLEANUP(free_tickets) struct tickets *t = tickets_new(9, 8);
	uint64_t index;

	for (unsigned i = 0; i < 8; i++) {
		CHECK(tickets_pop(t, i, &index));
		CHECK_INT(index, i);
		CHECK(!tickets_next_kept(t, i, &index));
	}
	CHECK_INT(tickets_cancel(t), 1);
	CHECK(!tickets_pop(t, 0, &index));
}

static void test_rest(void)
{
	CLEANUP(free_tickets) struct tickets *t = tickets_new(1000, 2);
	uint64_t index;

	CHECK(tickets_pop(t, 0, &index) && tickets_pop(t, 1, &index));
	CHECK_INT(tickets_cancel(t), 998);
	CHECK(!tickets_next_kept(t, 0, &index) && !tickets_next_kept(t, 1, &index));
	CHECK(!tickets_pop(t, 0, &index) && !tickets_pop(t, 1, &index));
	CHECK_INT(tickets_cancel(t), 0);
}

/* More than anybody ever begins: the count is exact all the same. */
static void test_many(void)
{
	const uint64_t total = (uint64_t)INT32_MAX * UINT16_MAX * UINT16_MAX;
	CLEANUP(free_tickets) struct tickets *t = tickets_new(total, 2);
	uint64_t index;

	for (uint64_t i = 0; i < 100; i++)
		CHECK(tickets_pop(t, i % 2, &index) && index == i);
	CHECK(tickets_cancel(t) == total - 100);
}

static void *take_all(void *argument)
{
	const unsigned taker = (unsigned)(uintptr_t)argument;
	uint64_t index;

	while (tickets_pop(shared, taker, &index))
		atomic_fetch_add(&taken[index], 1);
	return NULL;
}

static void test_threads(void)
{
	CLEANUP(free_tickets) struct tickets *t = shared = tickets_new(TOTAL, TAKERS);
	pthread_t threads[TAKERS];
	unsigned once = 0;

	for (uintptr_t i = 0; i < TAKERS; i++)
		CHECK_INT(pthread_create(&threads[i], NULL, take_all, (void *)i), 0);
	for (unsigned i = 0; i < TAKERS; i++)
		CHECK_INT(pthread_join(threads[i], NULL), 0);
	for (unsigned i = 0; i < TOTAL; i++)
		once += atomic_load(&taken[i]) == 1;
	CHECK_INT(once, TOTAL);
	CHECK_INT(tickets_cancel(t), 0);
}

int main(void)
{
	RUN(test_alone);
	RUN(test_neighbours);
	RUN(test_held_back);
	RUN(test_few);
	RUN(test_rest);
	RUN(test_many);
	RUN(test_threads);
	return tap_end();
}
