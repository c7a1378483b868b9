/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Regions that no thread waits for at once, in the order of what they depend on; tasks inside. */
#include <omp.h>

#include "expect.h"

#define N 512

static int a[N], b[N], c[N];

int main(void)
{
	int wrong = 0, sum = 0, odd = 0;

#pragma omp target enter data map(alloc : a, b, c)
#pragma omp target teams distribute parallel for nowait depend(out : a)
	for (int i = 0; i < N; i++)
		a[i] = i;
#pragma omp target teams distribute parallel for nowait depend(out : b)
	for (int i = 0; i < N; i++)
		b[i] = 2 * i;
#pragma omp target teams distribute parallel for nowait depend(in : a, b) depend(out : c)
	for (int i = 0; i < N; i++)
		c[i] = a[i] + b[i];
#pragma omp target update from(c) nowait depend(inout : c)
#pragma omp taskwait
	for (int i = 0; i < N; i++)
		wrong += c[i] != 3 * i;
	expect("wrong elements", wrong, 0);

#pragma omp parallel for num_threads(4)
	for (int k = 0; k < 8; k++) {
#pragma omp target teams distribute parallel for map(alloc : a)
		for (int i = 64 * k; i < 64 * k + 64; i++)
			a[i] += 1000 * k;
	}
#pragma omp target update from(a)
	wrong = 0;
	for (int i = 0; i < N; i++)
		wrong += a[i] != i + 1000 * (i / 64);
	expect("wrong elements of regions from several threads", wrong, 0);
#pragma omp target exit data map(delete : a, b, c)

#pragma omp target map(tofrom : sum, odd)
#pragma omp parallel num_threads(4)
#pragma omp single
	{
		for (int i = 0; i < 20; i++) {
#pragma omp task firstprivate(i) shared(sum, odd)
			{
#pragma omp atomic
				sum += i;
#pragma omp task if (i % 2) firstprivate(i) shared(odd)
#pragma omp atomic
				odd += i % 2;
			}
		}
#pragma omp taskwait
	}
	expect("sum", sum, 190);
	expect("odd", odd, 10);
	return expect_end();
}
