/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What every comparison does with times. */
#ifndef BENCH_TIMES_H
#define BENCH_TIMES_H

#include <stdlib.h>
#include <time.h>

/* Nanoseconds since some moment. */
static inline double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1e9 + time.tv_nsec;
}

static inline int compare_times(const void *a, const void *b)
{
	double difference = *(const double *)a - *(const double *)b;

	return (difference > 0) - (difference < 0);
}

/* Sorts @times: the median is then in the middle, the quartiles are halfway there. */
static inline void sort_times(double *times, int count)
{
	qsort(times, (size_t)count, sizeof(*times), compare_times);
}

#endif
