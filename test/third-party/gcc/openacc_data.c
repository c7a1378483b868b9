/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Data regions, updates, the device's memory by calls, host_data, declared variables. */
#include <openacc.h>
#include <stdlib.h>

#include "expect.h"

#define N 777

static int table[16];
#pragma acc declare create(table)

#pragma acc routine seq
static int look_up(int i)
{
	return table[i % 16];
}

static void test_regions(int *x)
{
	int wrong = 0;

	for (int i = 0; i < N; i++)
		x[i] = i;
#pragma acc data copy(x[0 : N])
	{
		x[0] = 42;
#pragma acc parallel loop present(x[0 : N])
		for (int i = 0; i < N; i++)
			x[i] += 100;
		expect("x[1] before its end", x[1], 1);
#pragma acc update self(x[1 : 1])
		expect("x[1] after an update", x[1], 101);
		x[2] = 7;
#pragma acc update device(x[2 : 1])
		expect("present", acc_is_present(x, N * sizeof(*x)), 1);
	}
	expect("x[0]", x[0], 100);
	expect("x[2]", x[2], 7);
	expect("x[N - 1]", x[N - 1], N + 99);
	expect("present after its end", acc_is_present(x, N * sizeof(*x)), 0);

#pragma acc enter data copyin(x[0 : N])
#pragma acc parallel loop present(x[0 : N])
	for (int i = 0; i < N; i++)
		x[i] = 2 * i;
#pragma acc exit data copyout(x[0 : N])
	for (int i = 0; i < N; i++)
		wrong += x[i] != 2 * i;
	expect("wrong elements", wrong, 0);
}

/* x[i] is 2 * i. */
static void test_calls(int *x)
{
	int *there, back[N], wrong = 0, sum = 0, own[4] = { 1, 2, 3, 4 };

	there = acc_malloc(N * sizeof(*there));
	acc_memcpy_to_device(there, x, N * sizeof(*there));
#pragma acc parallel loop deviceptr(there)
	for (int i = 0; i < N; i++)
		there[i] += 1;
	acc_memcpy_from_device(back, there, sizeof(back));
	for (int i = 0; i < N; i++)
		wrong += back[i] != 2 * i + 1;
	expect("wrong elements of a copy", wrong, 0);

	/* a host array that stands for that memory */
	acc_map_data(back, there, sizeof(back));
#pragma acc parallel loop present(back) reduction(+ : sum)
	for (int i = 0; i < 10; i++)
		sum += back[i];
	expect("sum", sum, 100);
	expect("acc_deviceptr", acc_deviceptr(back) == (void *)there, 1);
	expect("acc_hostptr", acc_hostptr(there + 1) == (void *)(back + 1), 1);
	acc_unmap_data(back);
	acc_free(there);

#pragma acc data copy(x[0 : N])
	{
#pragma acc host_data use_device(x)
		acc_memcpy_to_device(x, own, sizeof(own));
	}
	expect("x[3]", x[3], 4);
	expect("x[4]", x[4], 8);
}

static void test_declared(void)
{
	int sum = 0;

	for (int i = 0; i < 16; i++)
		table[i] = i * i;
	/* GCC 12 leaves "update device(table)" out */
	acc_update_device(table, sizeof(table));
#pragma acc parallel loop reduction(+ : sum)
	for (int i = 0; i < 32; i++)
		sum += look_up(i);
	expect("sum of a declared table", sum, 2 * 1240);
}

int main(void)
{
	int *x = malloc(N * sizeof(*x));

	test_regions(x);
	test_calls(x);
	test_declared();
	free(x);
	return expect_end();
}
