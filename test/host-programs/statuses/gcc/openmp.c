/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A program of GCC's OpenMP: openmp [fault|STATUS] adds numbers on the device, and prints their
 * sum; then it writes where no memory is, or ends with STATUS.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
	const int faults = argc > 1 && !strcmp(argv[1], "fault");
	int sum = 0;

#pragma omp target map(tofrom : sum)
	for (int i = 0; i < 10; i++)
		sum += i;
	if (faults) {
#pragma omp target
		*(volatile int *)64 = sum;
	}
	printf("sum %d\n", sum);
	return argc > 1 ? atoi(argv[1]) : 0;
}
