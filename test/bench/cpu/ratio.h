/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * How much slower one thing is than another, and how sure that is: ratios of medians with
 * their 95 % intervals.
 *
 * Times come in pairs, taken next to each other, so that both have the same machine; and pairs
 * in passes, each in a process of its own and some moments from the next. What the machine's
 * moment does to both sides says nothing: times are taken in units of their pass, the geometric
 * mean of both sides' medians in it, before those of all passes come together. A median is
 * blind to the few times that an interrupt doubled.
 *
 * What differs from process to process (where memory lies, what shares a cache) moves the times
 * of one side in a pass, and is no less chance than what moves a single one: more rounds of one
 * pass would only be surer of its luck. So resampling draws passes first, and in each of them
 * pairs. The interval is what 95 % of the resamples give. Draws of passes are the same for all
 * things measured, as they ran in the same processes: the mean's interval has that in it.
 */
#ifndef BENCH_CPU_RATIO_H
#define BENCH_CPU_RATIO_H

#include <stdbool.h>

enum { MOST_TIMES = 4400 };

/* What resampling is made of. */
struct plan {
	unsigned passes, rounds;  /* rounds in each pass; their product is at most MOST_TIMES */
	unsigned resamples;
};

/* Times of one thing, pass by pass, the pair of pass p and round r at p * rounds + r. */
struct pairs {
	const double (*times)[2];  /* before, after */
	bool counted;              /* in the mean */
};

struct ratio {
	double before, after;      /* medians, in the middle pass's unit; 0 for the mean */
	double ratio, low, high;   /* after / before, and the interval's ends */
};

/*
 * Gives each of @count things its ratio in @each, and in @mean the geometric mean of those
 * that are counted (a ratio of 1 if none is). The draws are the same in every call. Returns
 * false when there is no memory, or when @plan has more times than it may or none.
 */
bool ratios(const struct plan *plan, const struct pairs *things, unsigned count,
	    struct ratio *each, struct ratio *mean);

/* Whether it is sure that one thing is slower than it may be: by more than 3 %. */
static inline bool ratio_one_slower(const struct ratio *one)
{
	return one->low > 1.03;
}

/* Whether it is sure that all together are slower than they may be: by more than 1 %. */
static inline bool ratio_mean_slower(const struct ratio *mean)
{
	return mean->low > 1.01;
}

#endif
