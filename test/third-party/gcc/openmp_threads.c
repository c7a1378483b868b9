/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The threads of a team: nested regions, barriers, critical sections, ordered, single, locks. */
#include <omp.h>

#include "expect.h"

#define N 96

static int ring[N], squares[N];

/* How many there are. */
static int test_team(void)
{
	int inside = 0, singles = 0, masters = 0, threads = 0, wrong = 0;

#pragma omp target map(tofrom : inside, singles, masters, threads, ring)
#pragma omp parallel num_threads(8)
	{
		int me = omp_get_thread_num(), all = omp_get_num_threads();

#pragma omp critical
		inside += me + 1;
#pragma omp master
		masters++;
		ring[me] = me;
#pragma omp barrier
		int next = ring[(me + 1) % all];
#pragma omp barrier
		ring[me] = next;
#pragma omp single
		{
			singles++;
			threads = all;
		}
	}
	expect("inside", inside, threads * (threads + 1) / 2);
	expect("masters", masters, 1);
	expect("singles", singles, 1);
	for (int i = 0; i < threads; i++)
		wrong += ring[i] != (i + 1) % threads;
	expect("wrong neighbours", wrong, 0);
	return threads;
}

static void test_nested(void)
{
	int nested = 0, levels = 0, sections = 0, serial = 0;

#pragma omp target map(tofrom : nested, levels)
#pragma omp parallel for reduction(+ : nested) num_threads(4)
	for (int i = 0; i < 10; i++) {
		int mine = 0;
#pragma omp parallel for reduction(+ : mine)
		for (int k = 0; k <= i; k++)
			mine += k;
		nested += mine;
#pragma omp atomic write
		levels = omp_get_level();
	}
	expect("nested", nested, 165);
	expect("levels", levels, 1);

#pragma omp target map(tofrom : sections)
#pragma omp parallel sections reduction(+ : sections)
	{
#pragma omp section
		sections += 1;
#pragma omp section
		sections += 10;
#pragma omp section
		sections += 100;
	}
	expect("sections", sections, 111);
#pragma omp target parallel if (parallel : 0) map(tofrom : serial)
	serial += omp_get_num_threads();
	expect("serial", serial, 1);
}

static void test_order(int threads)
{
	int place = 0, unordered = 0, locked = 0;

#pragma omp target map(tofrom : place, unordered, squares)
#pragma omp parallel for ordered schedule(static, 1)
	for (int i = 0; i < N; i++) {
		squares[i] = i * i;
#pragma omp ordered
		unordered += place++ != i;
	}
	expect("unordered", unordered, 0);
	expect("squares[9]", squares[9], 81);

#pragma omp target map(tofrom : locked)
	{
		omp_lock_t lock;

		omp_init_lock(&lock);
#pragma omp parallel num_threads(8)
		for (int i = 0; i < 20; i++) {
			omp_set_lock(&lock);
			locked++;
			omp_unset_lock(&lock);
		}
		omp_destroy_lock(&lock);
	}
	expect("locked", locked, 20 * threads);
}

int main(void)
{
	int threads = test_team();

	test_nested();
	test_order(threads);
	return expect_end();
}
