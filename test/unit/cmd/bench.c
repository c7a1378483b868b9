/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* --bench without a device: its statistics, and when it stops, over times that are known. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fill.h"
#include "measure.h"

#include "tap.h"

/* ---- numbers ---- */

/* The ranks are those of tables for the interval of a median by the binomial distribution. */
static void test_ranks(void)
{
	static const struct {
		size_t count, outside;
		bool known;
	} rows[] = {
		{ 1, 0, false },  { 5, 0, false },  { 6, 0, true },   { 8, 0, true },
		{ 9, 1, true },   { 10, 1, true },  { 11, 1, true },  { 12, 2, true },
		{ 15, 3, true },  { 20, 5, true },  { 25, 7, true },  { 30, 9, true },
		{ 50, 17, true }, { 100, 39, true },
	};
	size_t exact = 0, beyond = 0;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		size_t outside = 99;

		CHECK_INT(statistics_outside(rows[i].count, &outside), rows[i].known);
		if (!CHECK_INT(outside, rows[i].outside))
			printf("# of %zu\n", rows[i].count);
	}
	/* Both ways to compute it agree where one follows the other. */
	CHECK(statistics_outside(1000, &exact) && statistics_outside(1001, &beyond));
	CHECK(exact <= beyond + 1 && beyond <= exact + 1);
}

static void test_summary(void)
{
	double values[] = { 9, 1, 8, 2, 7, 3, 6, 4, 5, 5.5, 100 };
	const struct summary summary = statistics_summary(values, 11);

	CHECK_INT(summary.count, 11);
	CHECK(summary.median.median == 5.5 && summary.least == 1);
	CHECK(summary.median.low == 2 && summary.median.high == 9);
	CHECK(summary.first_quartile == 3.5 && summary.third_quartile == 7.5);
	CHECK(summary.p95 == 54.5);
	CHECK(summary.step == 0.5);
}

static void test_settled(void)
{
	const struct interval narrow = { 100, 99.8, 100.2, true };
	const struct interval broad = { 100, 99, 101, true };
	const struct interval few = { 100, 100, 100, false };
	const struct interval nothing = { 0, 0, 0, true };

	CHECK(statistics_settled(&narrow, 0, 0.5) && !statistics_settled(&broad, 0, 0.5));
	CHECK(statistics_settled(&broad, 2, 0.5));    /* the timer's step is no narrower */
	CHECK(!statistics_settled(&few, 0, 0.5));
	CHECK(!statistics_settled(&narrow, 2, 0) && !statistics_settled(&nothing, 0, 0));
	CHECK(statistics_settled(&nothing, 0, 0.5)); /* below the timer's resolution */
	CHECK(fabs(statistics_noise(&broad) - 2) < 1e-9 && statistics_noise(&nothing) == 0);
}

/* ---- a device whose times are known ---- */

/* Times as kernels have them: a sharp lower end, a long tail, now and then a much longer one. */
struct mock {
	uint64_t clock;
	uint64_t seed, draws;
	double base;             /* nanoseconds of side 0 */
	double other;            /* of side 1 */
	double spread;           /* of the tail, as a share of the base */
	double step;             /* of the timer */
	uint64_t differs_from;   /* the verification that finds a difference; 0: none */
	uint64_t throttled_until; /* runs that are slowed down to half the speed */
	uint64_t runs[2], verified;
	uint64_t fails_at;       /* the run that fails; 0: none */
	uint64_t verify_time;    /* nanoseconds */
	size_t launches;
};

static double draw(struct mock *mock)
{
	return ((double)(random_bits(mock->seed, 1, mock->draws++) >> 11) + 0.5) / 0x1p53;
}

static double time_of(struct mock *mock, size_t side)
{
	const double base = side ? mock->other : mock->base;
	double time = base * (1 - mock->spread * log(draw(mock)));

	if (draw(mock) < 0.02)
		time *= 3;
	return mock->step > 0 ? floor(time / mock->step) * mock->step : time;
}

static int mock_run(void *data, size_t side, struct bench_sample *samples, struct err *e)
{
	struct mock *mock = data;
	const uint64_t run = mock->runs[0] + mock->runs[1] + 1;
	const bool throttled = run <= mock->throttled_until;

	mock->runs[side]++;
	if (run == mock->fails_at)
		return err_set(e, GPURUN_FAULT, "the kernel trapped");
	for (size_t i = 0; i < mock->launches; i++) {
		const double time = time_of(mock, side) * (throttled ? 2 : 1);

		samples[i] = (struct bench_sample){ time, 2000, throttled };
		mock->clock += (uint64_t)time + 10000;
	}
	return 0;
}

static int mock_verify(void *data, size_t side, bool *same, struct err *e)
{
	struct mock *mock = data;

	(void)side;
	(void)e;
	mock->clock += mock->verify_time;
	*same = ++mock->verified != mock->differs_from;
	return 0;
}

static uint64_t mock_now(void *data)
{
	return ((struct mock *)data)->clock;
}

static struct bench_keys keys_of(const char *text)
{
	struct bench_keys keys = BENCH_KEYS_DEFAULT;
	struct err e = { 0 };

	CHECK_INT(bench_keys_read("--bench", text, &keys, &e), 0);
	return keys;
}

static int run_mock(struct mock *mock, const char *keys, size_t sides, struct measurement *out,
		    struct err *e)
{
	const struct bench_keys read = keys_of(keys);
	const struct executor executor = { mock, mock_run, mock_verify, mock_now };

	mock->launches = mock->launches ? mock->launches : 1;
	return measure(&executor, &read, sides, mock->launches, mock->seed, UINT64_MAX, out, e);
}

static struct interval median_of(const struct measurement *measured)
{
	struct summary summary = { 0 };
	struct err e = { 0 };

	CHECK_INT(series_summary(&measured->series[0], false, &summary, &e), 0);
	return summary.median;
}

/* ---- when it stops ---- */

static void test_stops_when_settled(void)
{
	struct mock mock = { .base = 100000, .spread = 0.02 };
	struct measurement measured;
	struct err e = { 0 };

	CHECK_INT(run_mock(&mock, NULL, 1, &measured, &e), 0);
	CHECK(measured.settled && !measured.differs);
	CHECK(measured.rounds >= 20 && measured.rounds < 2000);
	{
		const struct interval median = median_of(&measured);

		CHECK(statistics_noise(&median) <= 0.5);
		/* The median of base * (1 - spread * ln u) */
		CHECK(fabs(median.median / (100000 * (1 + 0.02 * log(2))) - 1) < 0.01);
	}
	/* Rounds that warm up, those measured, and the last one, which is compared. */
	CHECK_INT(mock.runs[0], measured.warmups + measured.rounds + 1);
	measured_release(&measured);
}

static void test_stops_at_runs_and_time(void)
{
	struct mock mock = { .base = 100000, .spread = 0.5 };
	struct measurement measured;
	struct err e = { 0 };

	CHECK_INT(run_mock(&mock, "runs=7,warmup=2", 1, &measured, &e), 0);
	CHECK(measured.rounds == 7 && measured.warmups == 2 && !measured.settled);
	measured_release(&measured);
	mock = (struct mock){ .base = 100000, .spread = 0.5 };
	CHECK_INT(run_mock(&mock, "time=10ms,max-noise=0", 1, &measured, &e), 0);
	CHECK(!measured.settled && measured.nanoseconds >= 10000000 &&
	      measured.nanoseconds < 12000000);
	measured_release(&measured);
}

/* No number of samples makes the interval of a coarse timer narrower than one step. */
static void test_stops_at_the_timers_step(void)
{
	struct mock mock = { .base = 3000, .spread = 0.05, .step = 500 };
	struct measurement measured;
	struct err e = { 0 };

	CHECK_INT(run_mock(&mock, "max-noise=0.01", 1, &measured, &e), 0);
	CHECK(measured.settled);
	measured_release(&measured);
	mock = (struct mock){ .base = 3000, .spread = 0.05, .step = 500 };
	CHECK_INT(run_mock(&mock, "max-noise=0,runs=500", 1, &measured, &e), 0);
	CHECK(!measured.settled && measured.rounds == 500);
	measured_release(&measured);
}

static void test_warms_up_for_a_time(void)
{
	struct mock mock = { .base = 1000, .spread = 0.01 };
	struct measurement measured;
	struct err e = { 0 };

	CHECK_INT(run_mock(&mock, "runs=10", 1, &measured, &e), 0);
	CHECK(measured.warmups > 3); /* of 0.1 s */
	measured_release(&measured);
	mock = (struct mock){ .base = 1e9, .spread = 0.01 };
	CHECK_INT(run_mock(&mock, "runs=6,time=1h", 1, &measured, &e), 0);
	CHECK_INT(measured.warmups, 3);
	measured_release(&measured);
}

/* ---- what it refuses to time ---- */

static void test_a_result_that_changes(void)
{
	struct measurement measured;
	struct err e = { 0 };

	for (uint64_t at = 1; at <= 5; at++) {
		struct mock mock = { .base = 100000, .spread = 0.02, .differs_from = at };

		CHECK_INT(run_mock(&mock, "runs=4,warmup=0", 1, &measured, &e), 0);
		CHECK(measured.differs && measured.verified == at);
		measured_release(&measured);
	}
}

/* To compare takes a hundred times as long as to run: it has at most a part of the time. */
static void test_comparing_has_its_share(void)
{
	struct mock mock = { .base = 10000, .spread = 0.02, .verify_time = 1000000 };
	struct measurement measured;
	struct err e = { 0 };

	CHECK_INT(run_mock(&mock, "time=100ms,max-noise=0", 1, &measured, &e), 0);
	CHECK(measured.verified >= 30 && measured.verified <= 40);
	measured_release(&measured);
	/* One comparison is longer than the time, which is left to the runs. */
	mock = (struct mock){ .base = 1000000, .spread = 0.02, .verify_time = 200000000 };
	CHECK_INT(run_mock(&mock, "time=100ms,max-noise=0", 1, &measured, &e), 0);
	CHECK_INT(measured.verified, 2);
	CHECK(measured.rounds > 80 && measured.rounds < 110);
	measured_release(&measured);
}

static void test_a_run_that_fails(void)
{
	struct mock mock = { .base = 1000, .spread = 0.02, .fails_at = 9 };
	struct measurement measured;
	struct err e = { 0 };

	CHECK_INT(run_mock(&mock, "warmup=2", 1, &measured, &e), GPURUN_FAULT);
	CHECK_STR(e.text, "the kernel trapped");
	CHECK_INT(mock.runs[0], 9);
	measured_release(&measured);
}

/* ---- slowed down ---- */

static void test_throttled_samples(void)
{
	struct mock mock = { .base = 100000, .spread = 0.01, .throttled_until = 12 };
	struct measurement measured;
	struct err e = { 0 };

	CHECK_INT(run_mock(&mock, "runs=30,warmup=2,max-noise=0", 1, &measured, &e), 0);
	CHECK_INT(series_throttled(&measured.series[0]), 10);
	CHECK(series_drops_throttled(&measured.series[0]));
	CHECK(median_of(&measured).median < 110000);
	measured_release(&measured);
	mock = (struct mock){ .base = 100000, .spread = 0.01, .throttled_until = 1000 };
	CHECK_INT(run_mock(&mock, "runs=30,warmup=2,max-noise=0", 1, &measured, &e), 0);
	/* There are no others: they count. */
	CHECK(!series_drops_throttled(&measured.series[0]));
	CHECK(median_of(&measured).median > 190000);
	measured_release(&measured);
}

/* ---- one beside another ---- */

/* How many of @trials measurements say that side 0 is slower, and how many that it is faster. */
static void compare(size_t trials, double slowdown, double step, size_t *slower, size_t *faster)
{
	*slower = *faster = 0;
	for (size_t i = 0; i < trials; i++) {
		struct mock mock = { .base = 100000 * slowdown, .other = 100000,
				     .spread = 0.02, .step = step, .seed = i + 1 };
		struct measurement measured;
		struct time_ratio ratio = { 0 };
		struct err e = { 0 };

		CHECK_INT(run_mock(&mock, "warmup=1,time=2s", 2, &measured, &e), 0);
		CHECK_INT(measured_ratio(&measured, 0, 0.5, &ratio, &e), 0);
		*slower += ratio_is_slower(&ratio);
		*faster += ratio_is_faster(&ratio);
		measured_release(&measured);
	}
}

static void test_against(void)
{
	size_t slower, faster;

	compare(200, 1, 0, &slower, &faster);
	printf("# the same: %zu of 200 slower, %zu faster\n", slower, faster);
	CHECK(slower <= 10 && faster <= 10);
	compare(100, 1.03, 0, &slower, &faster);
	printf("# 3 %% planted: %zu of 100 slower\n", slower);
	CHECK(slower >= 95 && faster == 0);
	compare(20, 0.97, 0, &slower, &faster);
	CHECK(slower == 0 && faster >= 19);
	/* What the place of code in memory makes is none, nor is a step of a coarse timer. */
	compare(50, 1.003, 0, &slower, &faster);
	CHECK(slower <= 2 && faster == 0);
	compare(50, 1.01, 2000, &slower, &faster);
	CHECK(slower == 0 && faster == 0);
}

/* Neither side is always the first one. */
static void test_order_is_drawn(void)
{
	size_t first = 0;

	for (uint64_t i = 0; i < 100; i++)
		first += random_bits(1, 0, i) % 2;
	CHECK(first > 30 && first < 70);
}

static void test_several_launches(void)
{
	struct mock mock = { .base = 100000, .spread = 0.01, .launches = 3 };
	struct measurement measured;
	struct err e = { 0 };

	CHECK_INT(run_mock(&mock, "runs=10,max-noise=0", 1, &measured, &e), 0);
	for (size_t i = 0; i < 3; i++)
		CHECK_INT(measured.series[i].count, 10);
	measured_release(&measured);
}

/* ---- keys ---- */

static void test_keys(void)
{
	struct bench_keys keys = keys_of("warm,runs=20,bytes=3Mi,flops=2G,time=90s,max-noise=1%");

	CHECK(keys.warm && !keys.count && keys.runs == 20);
	CHECK(keys.bytes == 3 << 20 && keys.flops == 2000000000 && keys.time == 90000000000);
	CHECK(keys.max_noise == 1 && keys.max_slowdown < 0 && keys.warmup == UINT64_MAX);
	keys = keys_of(NULL);
	CHECK(keys.max_noise == 0.5 && keys.time == 15000000000);
}

static void test_wrong_keys(void)
{
	static const struct {
		const char *text, *error;
	} rows[] = {
		{ "cold", "--bench cold: no such key" },
		{ "", "--bench : no such key" },
		{ "runs", "--bench runs: the key needs a value" },
		{ "warm=1", "--bench warm=1: the key takes no value" },
		{ "runs=", "--bench runs=: not a number of runs" },
		{ "runs=1.5", "--bench runs=1.5: not a number of runs" },
		{ "runs=9999999999", "--bench runs=9999999999: not a number of runs" },
		{ "max-noise=-1", "--bench max-noise=-1: not a percentage such as 0.5" },
		{ "max-noise=nan", "--bench max-noise=nan: not a percentage such as 0.5" },
		{ "time=0", "--bench time 0: not a time" },
		{ "bytes=0", "--bench bytes=0: not a number such as 1000, 3M or 16Mi" },
		{ "flops=x", "--bench flops=x: not a number such as 1000, 3M or 16Mi" },
		{ "count,bytes=1", "--bench: count beside bytes= or flops=: which of them holds?" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bench_keys keys = BENCH_KEYS_DEFAULT;
		struct err e = { 0 };

		CHECK_INT(bench_keys_read("--bench", rows[i].text, &keys, &e), GPURUN_INVALID);
		CHECK_STR(e.text, rows[i].error);
	}
}

int main(void)
{
	RUN(test_ranks);
	RUN(test_summary);
	RUN(test_settled);
	RUN(test_stops_when_settled);
	RUN(test_stops_at_runs_and_time);
	RUN(test_stops_at_the_timers_step);
	RUN(test_warms_up_for_a_time);
	RUN(test_a_result_that_changes);
	RUN(test_comparing_has_its_share);
	RUN(test_a_run_that_fails);
	RUN(test_throttled_samples);
	RUN(test_against);
	RUN(test_order_is_drawn);
	RUN(test_several_launches);
	RUN(test_keys);
	RUN(test_wrong_keys);
	return tap_end();
}
