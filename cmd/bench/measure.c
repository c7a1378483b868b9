/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "measure.h"

#include <math.h>
#include <stdlib.h>

#include "array.h"
#include "asserts.h"
#include "cleanup.h"
#include "fill.h"

/* Without a key: runs before the measured ones, and the nanoseconds that they fill. */
enum { FEWEST_WARMUPS = 3, WARMUP_TIME = 100000000 };

enum { FIRST_LOOK = 20 }; /* samples: the interval of fewer says little */

/* The share of the time that may go into comparing, and not into running. */
enum { VERIFY_SHARE = 4 };

/* A measurement in progress. */
struct measuring {
	const struct executor *executor;
	const struct bench_keys *keys;
	struct measurement *out;
	struct bench_sample *samples;   /* of one run */
	uint64_t seed;
	uint64_t begin, deadline; /* of the executor's clock */
	uint64_t comparing;       /* nanoseconds spent on it */
	uint64_t next_look;       /* rounds after which the intervals are looked at */
};

static int samples_no_memory(struct err *e)
{
	return err_set(e, GPURUN_NO_MEMORY, "no memory for the samples");
}

static int series_add(struct series *series, const struct bench_sample *sample, struct err *e)
{
	struct bench_sample *added = array_grow(&series->at, series->count, sizeof(*added));

	if (!added)
		return samples_no_memory(e);
	*added = *sample;
	series->count++;
	return 0;
}

static uint64_t now_of(const struct measuring *m)
{
	return m->executor->now(m->executor->data);
}

/* ---- one round ---- */

static int verify(struct measuring *m, size_t side, struct err *e)
{
	const uint64_t begin = now_of(m);
	bool same = true;

	TRY(m->executor->verify(m->executor->data, side, &same, e));
	m->comparing += now_of(m) - begin;
	m->out->verified++;
	m->out->differs |= !same;
	return 0;
}

/* Not every run is compared: that may take much longer than the run. */
static bool has_time_to_verify(const struct measuring *m)
{
	return m->comparing * VERIFY_SHARE <= now_of(m) - m->begin;
}

static int run_side(struct measuring *m, size_t side, bool counts, struct err *e)
{
	struct measurement *out = m->out;

	TRY(m->executor->run(m->executor->data, side, m->samples, e));
	for (size_t i = 0; counts && i < out->launches; i++)
		TRY(series_add(&out->series[side * out->launches + i], &m->samples[i], e));
	return counts && has_time_to_verify(m) ? verify(m, side, e) : 0;
}

/* Runs each side once: what happens to the device over time happens to both. */
static int run_round(struct measuring *m, uint64_t index, bool counts, struct err *e)
{
	const size_t sides = m->out->sides;
	const size_t first = random_bits(m->seed, 0, index) % sides;

	for (size_t i = 0; i < sides; i++)
		TRY(run_side(m, (first + i) % sides, counts, e));
	return 0;
}

/* ---- when to stop ---- */

static int launch_settled(const struct measuring *m, size_t launch, bool *settled, struct err *e)
{
	const double percent = m->keys->max_noise;
	struct time_ratio ratio;
	struct summary summary;

	if (m->out->sides > 1) {
		TRY(measured_ratio(m->out, launch, percent, &ratio, e));
		*settled = statistics_settled(&ratio.interval, ratio.step, percent);
		return 0;
	}
	TRY(series_summary(&m->out->series[launch], false, &summary, e));
	*settled = statistics_settled(&summary.median, summary.step, percent);
	return 0;
}

/* Each look sorts all samples, and may stop at a narrow interval by chance: there are few. */
static int look(struct measuring *m, struct err *e)
{
	bool settled = true;

	if (m->out->rounds < m->next_look)
		return 0;
	m->next_look = m->out->rounds + m->out->rounds / 8;
	for (size_t i = 0; settled && i < m->out->launches; i++)
		TRY(launch_settled(m, i, &settled, e));
	m->out->settled = settled;
	return 0;
}

/* Comparing is not counted: of large buffers the first one may take longer than the time. */
static bool is_over(const struct measuring *m)
{
	const uint64_t at = now_of(m);

	return m->out->settled || m->out->differs ||
	       (m->keys->runs && m->out->rounds >= m->keys->runs) || at >= m->deadline ||
	       at - m->begin - m->comparing >= m->keys->time;
}

/* ---- the whole ---- */

static bool is_warm(const struct measuring *m)
{
	const uint64_t done = m->out->warmups, at = now_of(m);

	if (at >= m->deadline)
		return true;
	if (m->keys->warmup != UINT64_MAX)
		return done >= m->keys->warmup;
	return done >= FEWEST_WARMUPS && at - m->begin >= WARMUP_TIME;
}

static int warm_up(struct measuring *m, struct err *e)
{
	for (m->begin = now_of(m); !is_warm(m); m->out->warmups++)
		TRY(run_round(m, m->out->warmups, false, e));
	return 0;
}

/* What the last runs left is compared in any case, after runs that are not measured. */
static int verify_last(struct measuring *m, struct err *e)
{
	for (size_t side = 0; side < m->out->sides && !m->out->differs; side++) {
		TRY(run_side(m, side, false, e));
		TRY(verify(m, side, e));
	}
	return 0;
}

static int measure_all(struct measuring *m, struct err *e)
{
	TRY(warm_up(m, e));
	m->begin = now_of(m);
	do {
		TRY(run_round(m, m->out->warmups + m->out->rounds, true, e));
		m->out->rounds++;
		TRY(look(m, e));
	} while (!is_over(m));
	m->out->nanoseconds = now_of(m) - m->begin;
	return verify_last(m, e);
}

int measure(const struct executor *executor, const struct bench_keys *keys, size_t sides,
	    size_t launches, uint64_t seed, uint64_t deadline, struct measurement *out,
	    struct err *e)
{
	CLEANUP(free_pointer) struct bench_sample *samples = calloc(launches + 1, sizeof(*samples));
	struct measuring m = { executor, keys, out, samples, .seed = seed,
			       .deadline = deadline, .next_look = FIRST_LOOK };

	ASSERT(sides && launches);
	*out = (struct measurement){ .sides = sides, .launches = launches };
	out->series = calloc(sides * launches, sizeof(*out->series));
	if (!samples || !out->series)
		return samples_no_memory(e);
	return measure_all(&m, e);
}

void measured_release(struct measurement *measured)
{
	for (size_t i = 0; measured->series && i < measured->sides * measured->launches; i++)
		free(measured->series[i].at);
	free(measured->series);
	*measured = (struct measurement){ 0 };
}

/* ---- what came of it ---- */

size_t series_throttled(const struct series *series)
{
	size_t throttled = 0;

	for (size_t i = 0; i < series->count; i++)
		throttled += series->at[i].throttled;
	return throttled;
}

bool series_drops_throttled(const struct series *series)
{
	const size_t throttled = series_throttled(series);

	return throttled && throttled <= series->count / 2;
}

int series_summary(const struct series *series, bool host, struct summary *out, struct err *e)
{
	CLEANUP(free_pointer) double *values = calloc(series->count + 1, sizeof(*values));
	const bool drops = series_drops_throttled(series);
	size_t count = 0;

	ASSERT(series->count);
	if (!values)
		return samples_no_memory(e);
	for (size_t i = 0; i < series->count; i++) {
		if (!drops || !series->at[i].throttled)
			values[count++] = host ? series->at[i].host : series->at[i].device;
	}
	*out = statistics_summary(values, count);
	return 0;
}

/* The least difference of two times of @series, with their median as 1. */
static int relative_step(const struct series *series, double *step, struct err *e)
{
	struct summary summary;

	TRY(series_summary(series, false, &summary, e));
	*step = summary.median.median > 0 ? summary.step / summary.median.median : 0;
	return 0;
}

int measured_ratio(const struct measurement *measured, size_t launch, double percent,
		   struct time_ratio *out, struct err *e)
{
	const struct series *ours = &measured->series[launch];
	const struct series *other = &measured->series[measured->launches + launch];
	CLEANUP(free_pointer) double *ratios = calloc(ours->count + 1, sizeof(*ratios));
	const bool drops = series_drops_throttled(ours) || series_drops_throttled(other);
	size_t count = 0;

	ASSERT(measured->sides == 2 && ours->count && ours->count == other->count);
	if (!ratios)
		return samples_no_memory(e);
	for (size_t i = 0; i < ours->count; i++) {
		if (drops && (ours->at[i].throttled || other->at[i].throttled))
			continue;
		if (other->at[i].device > 0)
			ratios[count++] = ours->at[i].device / other->at[i].device;
	}
	if (!count)
		ratios[count++] = 1; /* all are too short for the timer */
	out->interval = statistics_median(ratios, count);
	TRY(relative_step(other, &out->step, e));
	out->margin = fmax(percent / 100, out->step);
	return 0;
}

bool ratio_is_slower(const struct time_ratio *ratio)
{
	return ratio->interval.known && ratio->interval.low > 1 + ratio->margin;
}

bool ratio_is_faster(const struct time_ratio *ratio)
{
	return ratio->interval.known && ratio->interval.high < 1 - ratio->margin;
}
