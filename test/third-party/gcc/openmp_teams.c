/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Teams: how many, of how many threads, what each has to itself, atomics between them. */
#include <omp.h>

#include "expect.h"

#define TEAMS 7

static int seen[TEAMS], sums[TEAMS];

int main(void)
{
	int teams = 0, wrong = 0, most = 0, count = 0, order = 0, ticket = 0, tickets = 0;
	double sum = 0;

#pragma omp target teams num_teams(TEAMS) thread_limit(64) map(tofrom : seen, sums, teams, most)
	{
		int team = omp_get_team_num(), mine = 0;

		seen[team]++;
		if (!team)
			teams = omp_get_num_teams();
#pragma omp parallel for reduction(+ : mine)
		for (int i = 0; i < 100; i++)
			mine += i * (team + 1);
		sums[team] = mine;
#pragma omp parallel
		{
#pragma omp atomic
			sums[team] += 0;
			if (!team && !omp_get_thread_num())
				most = omp_get_num_threads();
		}
	}
	expect("teams", teams, TEAMS);
	expect("more than thread_limit", most < 1 || most > 64, 0);
	for (int i = 0; i < TEAMS; i++)
		wrong += seen[i] != 1 || sums[i] != 4950 * (i + 1);
	expect("wrong teams", wrong, 0);

#pragma omp target teams distribute parallel for map(tofrom : count, sum, ticket, tickets)
	for (int i = 0; i < 5000; i++) {
		int mine;

#pragma omp atomic
		count++;
#pragma omp atomic
		sum += 0.5;
#pragma omp atomic capture
		mine = ticket++;
#pragma omp atomic
		tickets ^= mine;
	}
	expect("count", count, 5000);
	expect("sum", sum, 2500);
	for (int i = 0; i < 5000; i++)
		order ^= i;
	expect("tickets", tickets, order);
	return expect_end();
}
