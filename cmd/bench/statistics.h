/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What samples of a time say. Nothing here assumes a distribution: times of kernels have a sharp
 * lower end, a long upper one and often several peaks, so that means and deviations mislead.
 */
#ifndef CMD_STATISTICS_H
#define CMD_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>

/* An estimate of a median with its 95 % interval. */
struct interval {
	double median;
	double low, high;
	bool known;      /* there were enough samples for the interval; else it is [least, most] */
};

/* In the unit of the samples. */
struct summary {
	size_t count;
	struct interval median;
	double first_quartile, third_quartile;
	double least, p95;
	double step;     /* the least difference of two samples that differ; 0: all are alike */
};

/*
 * How many of @count sorted samples are below the interval of the median, and as many above it: the
 * most for which it holds the median with a probability of 95 %, by the binomial distribution
 * alone. Returns false for fewer than 6 samples, which have no such interval.
 */
bool statistics_outside(size_t count, size_t *outside);

/* The median and its interval of @count samples, at least one, which it sorts. */
struct interval statistics_median(double *samples, size_t count);

/* The whole of it; sorts, too. */
struct summary statistics_summary(double *samples, size_t count);

/*
 * Tells whether the interval is at most @percent of the median wide, or one step of the timer,
 * which no number of samples narrows; never with 0 percent.
 */
bool statistics_settled(const struct interval *interval, double step, double percent);

/* The width of the interval in percent of the median; 0 for a median of 0. */
double statistics_noise(const struct interval *interval);

#endif
