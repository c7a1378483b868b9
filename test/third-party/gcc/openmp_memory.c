/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The device's memory by calls: allocated, copied, associated, and given to a region. */
#include <omp.h>
#include <stdlib.h>

#include "expect.h"

#define N 1000

static int here[N];

static void test_copies(int *there, int *second)
{
	int device = omp_get_default_device(), home = omp_get_initial_device(), wrong = 0, sum = 0;
	int table[8][10], part[3][4];
	const size_t volume[] = { 3, 4 }, zero[] = { 0, 0 }, from[] = { 2, 5 };
	const size_t small[] = { 3, 4 }, large[] = { 8, 10 };

#pragma omp target teams distribute parallel for is_device_ptr(there)
	for (int i = 0; i < N; i++)
		there[i] = i * 3;
	expect("omp_target_memcpy",
	       omp_target_memcpy(here, there, (N - 10) * sizeof(int), 0, 10 * sizeof(int), home, device),
	       0);
	for (int i = 0; i < N - 10; i++)
		wrong += here[i] != (i + 10) * 3;
	expect("wrong elements of a copy", wrong, 0);

	for (int i = 0; i < 80; i++)
		table[i / 10][i % 10] = i;
	expect("to the device",
	       omp_target_memcpy(second, table, sizeof(table), 0, 0, device, home), 0);
	expect("omp_target_memcpy_rect",
	       omp_target_memcpy_rect(part, second, sizeof(int), 2, volume, zero, from, small, large,
				      home, device),
	       0);
	for (int i = 0; i < 12; i++)
		sum += part[i / 4][i % 4];
	expect("part[0][0]", part[0][0], 25);
	expect("part[2][3]", part[2][3], 48);
	expect("sum of a part", sum, 438);
	expect("on the device",
	       omp_target_memcpy(second, there, 80 * sizeof(int), 0, 0, device, device), 0);
}

/* An array of the host stands for memory that the program allocated; @second[i] is 3 * i. */
static void test_associated(int *second)
{
	int device = omp_get_default_device(), sum = 0, twin[16];

	expect("omp_target_associate_ptr",
	       omp_target_associate_ptr(twin, second, sizeof(twin), 0, device), 0);
#pragma omp target map(tofrom : sum) map(alloc : twin)
	for (int i = 0; i < 16; i++)
		sum += twin[i];
	expect("sum of an associated array", sum, 360);
	expect("omp_target_disassociate_ptr", omp_target_disassociate_ptr(twin, device), 0);
}

static void test_address(void)
{
	for (int i = 0; i < N; i++)
		here[i] = 1;
#pragma omp target data map(tofrom : here)
	{
#pragma omp target data use_device_addr(here)
		{
			int *address = here;
#pragma omp target teams distribute parallel for is_device_ptr(address)
			for (int i = 0; i < N; i++)
				address[i] += i;
		}
	}
	expect("here[999]", here[999], 1000);
}

int main(void)
{
	int device = omp_get_default_device();
	int *there = omp_target_alloc(N * sizeof(int), device);
	int *second = omp_target_alloc(80 * sizeof(int), device);

	expect("no memory", !there || !second, 0);
	if (!there || !second)
		return expect_end();
	test_copies(there, second);
	test_associated(second);
	test_address();
	omp_target_free(there, device);
	omp_target_free(second, device);
	return expect_end();
}
