/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* parallel, kernels and serial, loops over gangs, workers and vectors, and their reductions. */
#include <openacc.h>
#include <string.h>

#include "expect.h"

#define N 3000
#define SIDE 48

static int x[N], y[N], count[N];
static double a[SIDE][SIDE], b[SIDE][SIDE], c[SIDE][SIDE];

#pragma acc routine seq
static int twice(int i)
{
	return 2 * i;
}

#pragma acc routine vector
static int row_sum(const double *row)
{
	int sum = 0;

#pragma acc loop vector reduction(+ : sum)
	for (int i = 0; i < SIDE; i++)
		sum += row[i];
	return sum;
}

static void test_loops(void)
{
	int device = 0, wrong = 0, serial = 0, gangs = 0;

#pragma acc parallel copyout(device)
	device = acc_on_device(acc_device_not_host);
	expect("device", device, 1);

#pragma acc parallel loop gang worker vector num_gangs(5) num_workers(4) vector_length(32) \
	copy(count) copyout(x, y)
	for (int i = 0; i < N; i++) {
		count[i]++;
		x[i] = i;
		y[i] = twice(i);
	}
	for (int i = 0; i < N; i++)
		wrong += count[i] != 1 || x[i] != i || y[i] != 2 * i;
	expect("wrong elements of a loop", wrong, 0);

#pragma acc kernels copyin(x) copy(y)
	for (int i = 0; i < N; i++)
		y[i] = y[i] + 3 * x[i];
	expect("y[100] of kernels", y[100], 500);
#pragma acc serial copy(serial)
	for (int i = 0; i < 10; i++)
		serial += i;
	expect("serial", serial, 45);
#pragma acc parallel num_gangs(9) reduction(+ : gangs)
	gangs++;
	expect("gangs", gangs, 9);
}

/* y[i] is 5 * i. */
static void test_reductions(void)
{
	int most = -1, all = 1, bits = 0;
	long sum = 0;
	float product = 1;

#pragma acc parallel loop reduction(+ : sum) reduction(max : most) reduction(&& : all) \
	reduction(^ : bits) copyin(y)
	for (int i = 0; i < N; i++) {
		sum += y[i];
		most = y[i] > most ? y[i] : most;
		all = all && y[i] == 5 * i;
		bits ^= y[i];
	}
	expect("sum", sum, 5L * (N - 1) * N / 2);
	expect("most", most, 5 * (N - 1));
	expect("all", all, 1);
	for (int i = 0; i < N; i++)
		bits ^= 5 * i;
	expect("bits", bits, 0);
#pragma acc parallel loop vector reduction(* : product)
	for (int i = 0; i < 20; i++)
		product *= 2;
	expect("product", product, 1048576);
}

static void test_nested(void)
{
	int wrong = 0, rows = 0;

	for (int i = 0; i < SIDE * SIDE; i++) {
		a[i / SIDE][i % SIDE] = i % 7;
		b[i / SIDE][i % SIDE] = i % 5;
	}
#pragma acc parallel loop gang collapse(2) copyin(a, b) copyout(c)
	for (int i = 0; i < SIDE; i++)
		for (int k = 0; k < SIDE; k++) {
			double dot = 0;
#pragma acc loop vector reduction(+ : dot)
			for (int j = 0; j < SIDE; j++)
				dot += a[i][j] * b[j][k];
			c[i][k] = dot;
		}
	for (int i = 0; i < SIDE; i++)
		for (int k = 0; k < SIDE; k++) {
			double dot = 0;

			for (int j = 0; j < SIDE; j++)
				dot += a[i][j] * b[j][k];
			wrong += c[i][k] != dot;
		}
	expect("wrong elements of a product", wrong, 0);

#pragma acc parallel loop gang reduction(+ : rows) copyin(a)
	for (int i = 0; i < SIDE; i++)
		rows += row_sum(a[i]);
	wrong = 0;
	for (int i = 0; i < SIDE * SIDE; i++)
		wrong += i % 7;
	expect("rows", rows, wrong);
}

/* A worker's own array, and a histogram by atomics. */
static void test_atomics(void)
{
	int wrong = 0;

	memset(count, 0, sizeof(count));
#pragma acc parallel loop gang worker copy(count)
	for (int i = 0; i < 300; i++) {
		int own[10];

#pragma acc loop seq
		for (int k = 0; k < 10; k++)
			own[k] = (i * k) % 10;
#pragma acc loop seq
		for (int k = 0; k < 10; k++) {
#pragma acc atomic update
			count[own[k]]++;
		}
	}
	for (int i = 0; i < 300; i++)
		for (int k = 0; k < 10; k++)
			count[(i * k) % 10]--;
	for (int k = 0; k < 10; k++)
		wrong += count[k] != 0;
	expect("wrong buckets", wrong, 0);
}

int main(void)
{
	test_loops();
	test_reductions();
	test_nested();
	test_atomics();
	return expect_end();
}
