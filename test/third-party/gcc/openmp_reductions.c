/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Every operator of a reduction, over the types that have it. One at a
 * time, and of no array: for others GCC 12 finds no __atomic_compare_exchange_16.
 */
#include <limits.h>
#include <omp.h>

#include "expect.h"

#define N 4096

static int value[N];

static void test_integers(void)
{
	int sum = 5, least = INT_MAX, most = INT_MIN, all = 1, any = 0;
	long long product = 1, wide = 0, less = 0, want = 0;

#pragma omp target teams distribute parallel for reduction(+ : sum) map(to : value)
	for (int i = 0; i < N; i++)
		sum += value[i];
#pragma omp target teams distribute parallel for reduction(min : least) map(to : value)
	for (int i = 0; i < N; i++)
		least = value[i] < least ? value[i] : least;
#pragma omp target teams distribute parallel for reduction(max : most) map(to : value)
	for (int i = 0; i < N; i++)
		most = value[i] > most ? value[i] : most;
#pragma omp target teams distribute parallel for reduction(&& : all) map(to : value)
	for (int i = 0; i < N; i++)
		all = all && value[i] < N;
#pragma omp target teams distribute parallel for reduction(|| : any) map(to : value)
	for (int i = 0; i < N; i++)
		any = any || value[i] == 17;
#pragma omp target teams distribute parallel for reduction(* : product)
	for (int i = 1; i < 40; i++)
		product *= i % 2 ? 3 : 1;
#pragma omp target teams distribute parallel for reduction(+ : wide) map(to : value)
	for (int i = 0; i < N; i++)
		wide += (long long)value[i] << 33;
#pragma omp target teams distribute parallel for reduction(- : less)
	for (int i = 0; i < N; i++)
		less -= i;
	expect("sum", sum, 5 - N / 2);
	expect("least", least, -N / 2);
	expect("most", most, N / 2 - 1);
	expect("all", all, 1);
	expect("any", any, 1);
	expect("product", product, 3486784401);
	for (int i = 0; i < N; i++)
		want += (long long)value[i] << 33;
	expect("wide", wide, want);
	expect("less", less, -(N - 1LL) * N / 2);
}

static void test_bits(void)
{
	unsigned both = ~0U, either = 0, odd = 0, want_both = ~0U, want_either = 0, want_odd = 0;

#pragma omp target teams distribute parallel for reduction(& : both) map(to : value)
	for (int i = 0; i < N; i++)
		both &= (unsigned)value[i] | 0xf0f0;
#pragma omp target teams distribute parallel for reduction(| : either)
	for (int i = 0; i < N; i++)
		either |= (unsigned)i & 0x0ff0;
#pragma omp target teams distribute parallel for reduction(^ : odd) map(to : value)
	for (int i = 0; i < N; i++)
		odd ^= (unsigned)value[i];
	for (int i = 0; i < N; i++) {
		want_both &= (unsigned)value[i] | 0xf0f0;
		want_either |= (unsigned)i & 0x0ff0;
		want_odd ^= (unsigned)value[i];
	}
	expect("&", both, want_both);
	expect("|", either, want_either);
	expect("^", odd, want_odd);
}

static void test_floats(void)
{
	float single = 0, product = 1;
	double sum = 0, most = -1e300;
	int teams = 0;

#pragma omp target teams distribute parallel for reduction(* : product)
	for (int i = 1; i < 40; i++)
		product *= 2;
#pragma omp target teams distribute parallel for reduction(+ : single)
	for (int i = 0; i < N; i++)
		single += 0.5f;
#pragma omp target teams distribute parallel for reduction(+ : sum)
	for (int i = 0; i < N; i++)
		sum += i * 0.25;
#pragma omp target teams distribute parallel for reduction(max : most)
	for (int i = 0; i < N; i++)
		most = i * 1.5 > most ? i * 1.5 : most;
#pragma omp target teams num_teams(6) reduction(+ : teams)
	teams += omp_get_team_num() + 1;
	expect("product", product, 549755813888.0);
	expect("single", single, N / 2);
	expect("sum", sum, (N - 1) * 0.125 * N);
	expect("most", most, (N - 1) * 1.5);
	expect("teams", teams, 21);
}

int main(void)
{
	for (int i = 0; i < N; i++)
		value[i] = (i * 7919 + 13) % N - N / 2;
	test_integers();
	test_bits();
	test_floats();
	return expect_end();
}
