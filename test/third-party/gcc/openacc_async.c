/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Queues: what one does in order, what another waits for, and what the host sees when. */
#include <openacc.h>
#include <stdlib.h>

#include "expect.h"

#define N 2048
#define QUEUES 4

static int a[QUEUES][N], sums[QUEUES], b[N];

int main(void)
{
	int wrong = 0;

#pragma acc data create(a, b) copyout(sums)
	{
		for (int q = 0; q < QUEUES; q++) {
#pragma acc parallel loop async(q) present(a)
			for (int i = 0; i < N; i++)
				a[q][i] = i + q;
#pragma acc parallel loop async(q) present(a)
			for (int i = 0; i < N; i++)
				a[q][i] *= 2;
#pragma acc update self(a[q : 1]) async(q)
		}
#pragma acc wait(0, 1) async(2)
#pragma acc parallel loop async(2) present(a, b)
		for (int i = 0; i < N; i++)
			b[i] = a[0][i] + a[1][i] + a[2][i];
#pragma acc update self(b) async(2)
		acc_wait(2);
		expect("b[10]", b[10], 2 * (10 + 11 + 12));
#pragma acc parallel loop gang async(3) wait(2) present(a, sums)
		for (int q = 0; q < QUEUES; q++) {
			int sum = 0;
#pragma acc loop vector reduction(+ : sum)
			for (int i = 0; i < N; i++)
				sum += a[q][i];
			sums[q] = sum;
		}
#pragma acc wait
		expect("acc_async_test_all", acc_async_test_all() != 0, 1);
		for (int q = 0; q < QUEUES; q++)
			for (int i = 0; i < N; i++)
				wrong += a[q][i] != 2 * (i + q);
		expect("wrong elements", wrong, 0);
	}
	for (int q = 0; q < QUEUES; q++)
		expect("a sum", sums[q], (N - 1) * N + 2 * q * N);
	return expect_end();
}
