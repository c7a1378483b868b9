/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ratio.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/*
 * The times of one side, ordered: a resample then is how often each of them was drawn, and its
 * median needs no sorting.
 */
struct side {
	double sorted[MOST_TIMES];  /* in units of their passes */
	uint16_t rank[MOST_TIMES];  /* the place in sorted[] of each time, in their own order */
};

struct thing {
	struct side sides[2];
	double unit;    /* of the middle pass */
	double *drawn;  /* owned: the ratio of each resample */
};

/* xorshift, of Marsaglia; its high bits are the better ones. */
static uint32_t draw(uint64_t *state, uint32_t below)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return (uint32_t)((*state >> 32) * below >> 32);
}

static int compare(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Orders @values. */
static double middle(double *values, unsigned count)
{
	qsort(values, count, sizeof(*values), compare);
	return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

static int compare_pointed(const void *a, const void *b)
{
	return compare(*(const double *const *)a, *(const double *const *)b);
}

static void order(struct side *side, const double *times, unsigned count)
{
	const double *places[MOST_TIMES];

	for (unsigned i = 0; i < count; i++)
		places[i] = &times[i];
	qsort(places, count, sizeof(*places), compare_pointed);
	for (unsigned i = 0; i < count; i++) {
		side->sorted[i] = *places[i];
		side->rank[places[i] - times] = (uint16_t)i;
	}
}

static void thing_fill(struct thing *thing, const struct plan *plan, const double (*times)[2])
{
	const unsigned rounds = plan->rounds, count = plan->passes * rounds;
	double own[2][MOST_TIMES], some[MOST_TIMES], units[MOST_TIMES];

	for (unsigned pass = 0; pass < plan->passes; pass++) {
		double square = 1;

		for (unsigned side = 0; side < 2; side++) {
			for (unsigned r = 0; r < rounds; r++)
				some[r] = times[pass * rounds + r][side];
			square *= middle(some, rounds);
		}
		units[pass] = sqrt(square);
		for (unsigned i = pass * rounds; i < (pass + 1) * rounds; i++)
			for (unsigned side = 0; side < 2; side++)
				own[side][i] = times[i][side] / units[pass];
	}
	thing->unit = middle(units, plan->passes);
	for (unsigned side = 0; side < 2; side++)
		order(&thing->sides[side], own[side], count);
}

/* The median of @count times, of which times[i] of the ordered ones were drawn @often[i] times. */
static double median(const struct side *side, const uint16_t *often, unsigned count)
{
	unsigned seen = 0, i = 0, low;

	while ((seen += often[i]) < (count + 1) / 2)
		i++;
	low = i;
	while (seen < count / 2 + 1)
		seen += often[++i];
	return (side->sorted[low] + side->sorted[i]) / 2;
}

/* The ratio of medians of the pairs drawn from the passes that @passes names. */
static double resample(const struct plan *plan, const struct thing *thing, const unsigned *passes,
		       uint64_t *state)
{
	const unsigned count = plan->passes * plan->rounds;
	uint16_t often[2][MOST_TIMES];

	memset(often[0], 0, count * sizeof(*often[0]));
	memset(often[1], 0, count * sizeof(*often[1]));
	for (unsigned i = 0; i < count; i++) {
		unsigned pair = passes[i / plan->rounds] * plan->rounds + draw(state, plan->rounds);

		often[0][thing->sides[0].rank[pair]]++;
		often[1][thing->sides[1].rank[pair]]++;
	}
	return median(&thing->sides[1], often[1], count) / median(&thing->sides[0], often[0], count);
}

/* Sets the ends of the interval; orders @drawn. */
static void interval(struct ratio *ratio, double *drawn, unsigned count)
{
	const unsigned tail = count / 40;

	qsort(drawn, count, sizeof(*drawn), compare);
	ratio->low = drawn[tail];
	ratio->high = drawn[count - 1 - tail];
}

static void things_free(struct thing *things, unsigned count)
{
	for (unsigned t = 0; things && t < count; t++)
		free(things[t].drawn);
	free(things);
}

static struct thing *things_new(const struct plan *plan, const struct pairs *pairs, unsigned count)
{
	struct thing *things = calloc(count, sizeof(*things));

	for (unsigned t = 0; things && t < count; t++) {
		things[t].drawn = calloc(plan->resamples, sizeof(double));
		if (!things[t].drawn) {
			things_free(things, count);
			return NULL;
		}
		thing_fill(&things[t], plan, pairs[t].times);
	}
	return things;
}

/* What was measured itself, without an interval. */
static struct ratio measured(const struct thing *thing, unsigned count)
{
	struct ratio ratio;

	ratio.before = thing->unit * (thing->sides[0].sorted[(count - 1) / 2] +
				      thing->sides[0].sorted[count / 2]) / 2;
	ratio.after = thing->unit * (thing->sides[1].sorted[(count - 1) / 2] +
				     thing->sides[1].sorted[count / 2]) / 2;
	ratio.ratio = ratio.low = ratio.high = ratio.after / ratio.before;
	return ratio;
}

/* One more resample of all things, the @at-th. Returns the mean of those that are counted. */
static double resample_all(const struct plan *plan, const struct pairs *pairs,
			   struct thing *things, unsigned count, unsigned at, uint64_t *state)
{
	unsigned passes[MOST_TIMES], counted = 0;
	double sum = 0;

	for (unsigned p = 0; p < plan->passes; p++)
		passes[p] = draw(state, plan->passes);
	for (unsigned t = 0; t < count; t++) {
		things[t].drawn[at] = resample(plan, &things[t], passes, state);
		counted += pairs[t].counted;
		sum += pairs[t].counted ? log(things[t].drawn[at]) : 0;
	}
	return exp(sum / (counted ? counted : 1));
}

bool ratios(const struct plan *plan, const struct pairs *pairs, unsigned count,
	    struct ratio *each, struct ratio *mean)
{
	const unsigned times = plan->passes * plan->rounds;
	uint64_t state = 88172645463325252;
	struct thing *things;
	unsigned counted = 0;
	double sum = 0, *means;

	if (!times || times > MOST_TIMES || !plan->resamples)
		return false;
	things = things_new(plan, pairs, count);
	means = calloc(plan->resamples, sizeof(*means));
	if (!things || !means) {
		things_free(things, count);
		free(means);
		return false;
	}
	for (unsigned i = 0; i < plan->resamples; i++)
		means[i] = resample_all(plan, pairs, things, count, i, &state);
	for (unsigned t = 0; t < count; t++) {
		each[t] = measured(&things[t], times);
		interval(&each[t], things[t].drawn, plan->resamples);
		counted += pairs[t].counted;
		sum += pairs[t].counted ? log(each[t].ratio) : 0;
	}
	*mean = (struct ratio){ .ratio = exp(sum / (counted ? counted : 1)) };
	interval(mean, means, plan->resamples);
	things_free(things, count);
	free(means);
	return true;
}
