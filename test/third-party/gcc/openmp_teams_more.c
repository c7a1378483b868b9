/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Teams again: what is private, chunks, sums of teams of threads, prefix sums, atomics. */
#include <omp.h>

#include "expect.h"

#define N 777

static int value[N], team_of[N], sums[N];

static void test_private(void)
{
	int first = 40, last = 0, untouched = 3, wrong = 0;

#pragma omp target teams distribute parallel for num_teams(5) firstprivate(first) \
	private(untouched) map(tofrom : value)
	for (int i = 0; i < N; i++) {
		untouched = i;
		value[i] = first + untouched;
	}
	for (int i = 0; i < N; i++)
		wrong += value[i] != 40 + i;
	expect("wrong elements", wrong, 0);
	expect("untouched", untouched, 3);
#pragma omp target teams distribute num_teams(5) lastprivate(last) map(tofrom : last)
	for (int i = 0; i < N; i++)
		last = i * 2;
	expect("last", last, 2 * (N - 1));
}

/* Chunks of seven go round the teams. */
static void test_chunks(void)
{
	int teams = 0, wrong = 0;

#pragma omp target teams distribute num_teams(4) thread_limit(32) dist_schedule(static, 7) \
	map(tofrom : teams) map(from : team_of)
	for (int i = 0; i < N; i++) {
		team_of[i] = omp_get_team_num();
		if (!i)
			teams = omp_get_num_teams();
	}
	for (int i = 0; i < N && teams; i++)
		wrong += team_of[i] != i / 7 % teams;
	expect("teams", teams, 4);
	expect("iterations of a wrong team", wrong, 0);
}

static void test_sums(void)
{
	int per_team = 0;

#pragma omp target teams num_teams(6) reduction(+ : per_team) map(tofrom : per_team)
	{
		int mine = 0;

#pragma omp parallel reduction(+ : mine)
#pragma omp for
		for (int i = 0; i < 50; i++)
			mine += i;
		per_team += mine;
	}
	expect("of all teams", per_team, 6 * 49 * 25);
}

static void test_scan(void)
{
	int sum = 0, wrong = 0;

#pragma omp target map(from : sums) firstprivate(sum)
#pragma omp parallel for reduction(inscan, + : sum)
	for (int i = 0; i < N; i++) {
		sum += i;
#pragma omp scan inclusive(sum)
		sums[i] = sum;
	}
	for (int i = 0; i < N; i++)
		wrong += sums[i] != i * (i + 1) / 2;
	expect("wrong prefixes", wrong, 0);
}

static void test_atomics(void)
{
	float most = -1, total = 0;
	long old = 0, bits = 0;

#pragma omp target teams distribute parallel for num_teams(3) map(tofrom : most, total, old, bits)
	for (int i = 0; i < N; i++) {
		long mine;

#pragma omp atomic compare
		if (most < (float)(i % 500)) {
			most = (float)(i % 500);
		}
#pragma omp atomic
		total += 0.25F;
#pragma omp atomic capture seq_cst
		{
			mine = old;
			old = old + 2;
		}
#pragma omp atomic hint(omp_sync_hint_contended)
		bits |= 1L << (mine % 60);
	}
	expect("most", most, 499);
	expect("total", total, N / 4.0);
	expect("old", old, 2 * N);
	expect("bits", bits, 0x555555555555555);
}

int main(void)
{
	test_private();
	test_chunks();
	test_sums();
	test_scan();
	test_atomics();
	return expect_end();
}
