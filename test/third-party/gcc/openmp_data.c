/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is mapped, for how long, and what is copied when. */
#include <omp.h>
#include <stdlib.h>

#include "expect.h"

#define N 256

struct vector {
	int size;
	double *at;
};

static int shared[N];
static int scale = 3;
#pragma omp declare target
static int device_count;
static const int primes[] = { 2, 3, 5, 7, 11, 13 };
#pragma omp end declare target

/* What the host writes in between is not seen before an update, nor the device's. */
static void test_updates(void)
{
	int device = omp_get_default_device(), home = omp_get_initial_device();
	int before = 0, after = 0;

	for (int i = 0; i < N; i++)
		shared[i] = i;
	expect("devices", omp_get_num_devices() >= 1, 1);
#pragma omp target data map(tofrom : shared)
	{
		shared[1] = -1;
#pragma omp target map(from : before)
		{
			before = shared[1];
			shared[2] = -2;
		}
		expect("the device's, before an update", before, 1);
		expect("the host's, before an update", shared[2], 2);
#pragma omp target update to(shared[1 : 1])
#pragma omp target update from(shared[2 : 1])
#pragma omp target map(from : after)
		after = shared[1];
		expect("the device's, after an update", after, -1);
		expect("the host's, after an update", shared[2], -2);
		expect("present", omp_target_is_present(shared, device), 1);
	}
	expect("present on the host", omp_target_is_present(shared, home), 1);
	/* nothing of it is copied back */
#pragma omp target map(to : shared)
	shared[3] = 1000;
	expect("shared[3]", shared[3], 3);
}

/* Parts of an array, and memory that stays between regions. */
static void test_parts(void)
{
	int *part = malloc(N * sizeof(*part));

	for (int i = 0; i < N; i++)
		part[i] = i;
#pragma omp target enter data map(to : part[64 : 64])
#pragma omp target teams distribute parallel for map(part[64 : 64])
	for (int i = 64; i < 128; i++)
		part[i] *= 2;
	expect("part[64], still there", part[64], 64);
#pragma omp target exit data map(from : part[64 : 64])
	expect("part[63]", part[63], 63);
	expect("part[64]", part[64], 128);
	expect("part[127]", part[127], 254);
	expect("part[128]", part[128], 128);
	expect("present after its end", omp_target_is_present(part + 64, omp_get_default_device()),
	       0);
	free(part);
}

/* A pointer inside of a structure. */
static void test_structure(void)
{
	struct vector vector = { N, malloc(N * sizeof(double)) };

	for (int i = 0; i < N; i++)
		vector.at[i] = i;
#pragma omp target enter data map(to : vector, vector.at[0 : N])
#pragma omp target teams distribute parallel for map(vector)
	for (int i = 0; i < N; i++)
		vector.at[i] = vector.at[i] * 2 + vector.size;
#pragma omp target exit data map(from : vector.at[0 : N])
#pragma omp target exit data map(release : vector)
	expect("vector.at[10]", vector.at[10], 20 + N);
	free(vector.at);
}

/* Variables of the device's own, and constants. */
static void test_variables(void)
{
	int sum = 0;

	device_count = 5;
#pragma omp target update to(device_count)
#pragma omp target map(tofrom : sum)
	{
		device_count += 37;
		for (unsigned i = 0; i < sizeof(primes) / sizeof(primes[0]); i++)
			sum += primes[i] * scale;
	}
	expect("device_count before an update", device_count, 5);
#pragma omp target update from(device_count)
	expect("device_count", device_count, 42);
	expect("sum", sum, 123);
}

int main(void)
{
	test_updates();
	test_parts();
	test_structure();
	test_variables();
	return expect_end();
}
