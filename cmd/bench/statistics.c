/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "statistics.h"

#include <math.h>
#include <stdlib.h>

#include "asserts.h"

/* Above that the normal distribution has the same ranks. */
enum { MOST_EXACT = 1000 };

/* The probability that a tail of the binomial distribution may have. */
static const double TAIL = 0.025;

/* The logarithm of the probability that @k of @n samples are below the median. */
static double log_probability(double n, double k)
{
	return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) - n * log(2);
}

bool statistics_outside(size_t count, size_t *outside)
{
	const double n = (double)count;
	double tail = 0;
	size_t k = 0;

	*outside = 0;
	if (count > MOST_EXACT) {
		*outside = (size_t)((n - 1.96 * sqrt(n)) / 2 - 1);
		return true;
	}
	for (; tail <= TAIL && k <= count; k++)
		tail += exp(log_probability(n, (double)k));
	/* The tail went over the limit with k - 1 samples below; it holds for one less. */
	if (k < 2)
		return false;
	*outside = k - 2;
	return true;
}

static int by_value(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The value that @share of the sorted samples are below, between two of them. */
static double quantile(const double *sorted, size_t count, double share)
{
	const double at = share * (double)(count - 1);
	const size_t below = (size_t)at;

	if (below + 1 >= count)
		return sorted[count - 1];
	return sorted[below] + (at - (double)below) * (sorted[below + 1] - sorted[below]);
}

static struct interval interval_of(const double *sorted, size_t count)
{
	size_t outside;
	const bool known = statistics_outside(count, &outside);

	return (struct interval){ quantile(sorted, count, 0.5), sorted[outside],
				  sorted[count - 1 - outside], known };
}

struct interval statistics_median(double *samples, size_t count)
{
	ASSERT(count);
	qsort(samples, count, sizeof(*samples), by_value);
	return interval_of(samples, count);
}

static double step_of(const double *sorted, size_t count)
{
	double step = 0;

	for (size_t i = 1; i < count; i++) {
		const double difference = sorted[i] - sorted[i - 1];

		if (difference > 0 && (step == 0 || difference < step))
			step = difference;
	}
	return step;
}

struct summary statistics_summary(double *samples, size_t count)
{
	const struct interval median = statistics_median(samples, count);

	return (struct summary){
		.count = count,
		.median = median,
		.first_quartile = quantile(samples, count, 0.25),
		.third_quartile = quantile(samples, count, 0.75),
		.least = samples[0],
		.p95 = quantile(samples, count, 0.95),
		.step = step_of(samples, count),
	};
}

double statistics_noise(const struct interval *interval)
{
	return interval->median > 0 ? (interval->high - interval->low) / interval->median * 100 : 0;
}

bool statistics_settled(const struct interval *interval, double step, double percent)
{
	return percent > 0 && interval->known &&
	       (interval->high - interval->low <= step || statistics_noise(interval) <= percent);
}
