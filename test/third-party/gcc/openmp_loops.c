/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Loops over teams and threads: each iteration once, in every shape and schedule. */
#include <omp.h>
#include <string.h>

#include "expect.h"

#define N 1000
#define ROWS 37
#define COLUMNS 53

static int count[N], table[ROWS][COLUMNS];
static double x[N], y[N];

static void each_once(const char *what)
{
	int wrong = 0;

	for (int i = 0; i < N; i++)
		wrong += count[i] != 1;
	expect(what, wrong, 0);
	memset(count, 0, sizeof(count));
}

static void test_schedules(void)
{
	int host = 1, last = -1;

#pragma omp target map(from : host)
	host = omp_is_initial_device();
	expect("host", host, 0);

#pragma omp target teams distribute parallel for map(tofrom : count)
	for (int i = 0; i < N; i++)
		count[i]++;
	each_once("iterations wrong of a distributed loop");

#pragma omp target teams distribute parallel for schedule(static, 3) dist_schedule(static, 7) \
	map(tofrom : count)
	for (int i = N - 1; i >= 0; i--)
		count[i]++;
	each_once("iterations wrong of a backward loop in chunks");

#pragma omp target parallel for schedule(dynamic, 5) map(tofrom : count)
	for (int i = 0; i < N; i++)
		count[i]++;
	each_once("iterations wrong of a dynamic loop");

#pragma omp target parallel for schedule(guided) lastprivate(last) map(tofrom : count)
	for (int i = 0; i < N; i++) {
		count[i]++;
		last = i;
	}
	each_once("iterations wrong of a guided loop");
	expect("last", last, N - 1);
#pragma omp target teams loop map(tofrom : count)
	for (int i = 0; i < N; i++)
		count[i]++;
	each_once("iterations wrong of a loop construct");
}

static void test_shapes(void)
{
	int wrong = 0, steps = 0, times = N - 1;

#pragma omp target teams distribute map(tofrom : count)
	for (int i = 0; i < N; i += 100) {
#pragma omp parallel for
		for (int k = 0; k < 100; k++)
			count[i + k]++;
	}
	each_once("iterations wrong of a loop in a team's loop");

#pragma omp target teams distribute parallel for collapse(2) map(from : table)
	for (int i = 0; i < ROWS; i++)
		for (int k = 0; k < COLUMNS; k++)
			table[i][k] = i * 100 + k;
	for (int i = 0; i < ROWS; i++)
		for (int k = 0; k < COLUMNS; k++)
			wrong += table[i][k] != i * 100 + k;
	expect("wrong elements of a table", wrong, 0);

	for (int i = 0; i < N; i++) {
		x[i] = i;
		y[i] = 1;
	}
#pragma omp target teams distribute parallel for simd firstprivate(times) map(to : x) map(tofrom : y)
	for (int i = 0; i < N; i++)
		y[i] += x[i] * times;
	expect("y[7]", y[7], 1 + 7.0 * (N - 1));
	expect("y[N - 1]", y[N - 1], 1 + (double)(N - 1) * (N - 1));

#pragma omp target map(tofrom : steps)
	for (unsigned long i = 1; i; i <<= 1)
		steps++;
	expect("steps", steps, 64);
}

int main(void)
{
	test_schedules();
	test_shapes();
	return expect_end();
}
