/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tasks inside of regions: loops of them, groups, dependences, recursion, what they reduce to. */
#include <omp.h>
#include <string.h>

#include "expect.h"

#define N 240

static int count[N];

static void each_once(const char *what)
{
	int wrong = 0;

	for (int i = 0; i < N; i++)
		wrong += count[i] != 1;
	expect(what, wrong, 0);
	memset(count, 0, sizeof(count));
}

static void test_loops(void)
{
	int last = -1, sum = 0;

#pragma omp target map(tofrom : count)
#pragma omp parallel num_threads(4)
#pragma omp single
#pragma omp taskloop grainsize(7)
	for (int i = 0; i < N; i++)
		count[i]++;
	each_once("iterations wrong of a loop of tasks of 7");

#pragma omp target map(tofrom : count, last)
#pragma omp parallel num_threads(4)
#pragma omp single
#pragma omp taskloop num_tasks(5) lastprivate(last)
	for (int i = N - 1; i >= 0; i--) {
		count[i]++;
		last = i;
	}
	each_once("iterations wrong of a loop of 5 tasks");
	expect("last", last, 0);

#pragma omp target map(tofrom : count)
#pragma omp parallel num_threads(4)
#pragma omp single
#pragma omp taskgroup
#pragma omp taskloop nogroup collapse(2)
	for (int i = 0; i < N / 8; i++)
		for (int k = 0; k < 8; k++)
			count[8 * i + k]++;
	each_once("iterations wrong of two loops");

#pragma omp target map(tofrom : sum)
#pragma omp parallel num_threads(4)
#pragma omp single
#pragma omp taskloop simd reduction(+ : sum)
	for (int i = 0; i < N; i++)
		sum += i;
	expect("sum", sum, N * (N - 1) / 2);
}

static void test_groups(void)
{
	int before = 0, sum = 0, product = 1;

#pragma omp target map(tofrom : before, sum, product)
#pragma omp parallel num_threads(4)
#pragma omp single
	{
		int done = 0;

#pragma omp taskgroup
		for (int i = 0; i < 12; i++) {
#pragma omp task shared(done)
			{
#pragma omp task shared(done)
#pragma omp atomic
				done++;
#pragma omp taskyield
#pragma omp atomic
				done++;
			}
		}
		before = done; /* the group waits for tasks of tasks */
#pragma omp taskgroup task_reduction(+ : sum) task_reduction(* : product)
		for (int i = 1; i <= 10; i++) {
#pragma omp task in_reduction(+ : sum) firstprivate(i)
			sum += i;
#pragma omp task in_reduction(* : product) firstprivate(i)
			product *= i % 3 + 1;
		}
	}
	expect("before", before, 24);
	expect("sum", sum, 55);
	expect("product", product, 2 * 3 * 2 * 3 * 2 * 3 * 2);
}

/* Each step depends on the one before it, whichever thread has it. */
static void test_dependences(void)
{
	int chain = 0, left = 0, right = 0, both = 0;

#pragma omp target map(tofrom : chain, both) map(to : left, right)
#pragma omp parallel num_threads(4)
#pragma omp single
	{
		for (int i = 0; i < 16; i++) {
#pragma omp task depend(inout : chain) shared(chain) firstprivate(i)
			chain = 3 * chain + i;
		}
#pragma omp task depend(out : left) shared(left)
		left = 5;
#pragma omp task depend(out : right) shared(right) priority(3)
		right = 7;
#pragma omp task depend(in : left, right) depend(out : both) shared(left, right, both)
		both = left * right;
#pragma omp taskwait depend(in : both)
		both++;
	}
	for (int i = 0, want = 0; i <= 16; i++) {
		if (i == 16)
			expect("chain", chain, want);
		want = 3 * want + i;
	}
	expect("both", both, 36);
}

#pragma omp declare target
static int fibonacci(int n)
{
	int a, b;

	if (n < 2)
		return n;
#pragma omp task shared(a) final(n < 5) mergeable
	a = fibonacci(n - 1);
#pragma omp task shared(b) final(n < 5) mergeable
	b = fibonacci(n - 2);
#pragma omp taskwait
	return a + b;
}
#pragma omp end declare target

static void test_recursion(void)
{
	int value = 0, is_final = 0, included = 0;

#pragma omp target map(from : value)
#pragma omp parallel num_threads(4)
#pragma omp single
	value = fibonacci(10);
	expect("fibonacci(10)", value, 55);

#pragma omp target map(from : is_final, included)
#pragma omp parallel num_threads(2)
#pragma omp single
	{
		int here = omp_get_thread_num();

#pragma omp task final(1) shared(is_final, included)
		{
			is_final = omp_in_final();
#pragma omp task shared(included)
			included = omp_get_thread_num() == here || omp_in_final();
		}
#pragma omp taskwait
	}
	expect("final", is_final, 1);
	expect("included", included, 1);
}

int main(void)
{
	test_loops();
	test_groups();
	test_dependences();
	test_recursion();
	return expect_end();
}
