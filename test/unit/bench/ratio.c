/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What the gate says of made-up times that are as noisy as real ones: pairs of a pass share its
 * luck, single times have noise of their own, and a few are far too long.
 */
#include "ratio.h"

#include <math.h>

#include "tap.h"

enum { KERNELS = 23, PASSES = 10, ROUNDS = 20, TIMES = PASSES * ROUNDS };

static const struct plan usual = { PASSES, ROUNDS, 1000 };

/* How times are made. */
struct noise {
	double own;      /* standard deviation of the logarithm of each time */
	double luck;     /* and of what a pass does to one side */
	double hiccups;  /* share of the times that are up to three times as long */
};
static const struct noise quiet = { 0.01, 0.003, 0.03 }, loaded = { 0.04, 0.01, 0.1 };

static double made[KERNELS][TIMES][2];
static struct pairs pairs[KERNELS];
static uint64_t seed;

/* From 0 to 1. */
static double chance(void)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (double)(seed >> 11) * 0x1p-53;
}

/* Of a normal distribution, nearly. */
static double normal(void)
{
	double sum = -6;

	for (int i = 0; i < 12; i++)
		sum += chance();
	return sum;
}

/* Times of kernel @k, on both sides alike but that those after are @slower times as long. */
static void make(unsigned k, const struct noise *noise, double slower)
{
	double base = 1e6 * (k + 1);

	for (unsigned pass = 0; pass < PASSES; pass++) {
		double common = 1 + 0.3 * chance();

		for (unsigned side = 0; side < 2; side++) {
			double luck = common * exp(noise->luck * normal());

			for (unsigned r = 0; r < ROUNDS; r++) {
				double time = base * luck * exp(noise->own * fabs(normal()));

				time *= chance() < noise->hiccups ? 1 + 2 * chance() : 1;
				made[k][pass * ROUNDS + r][side] = side ? time * slower : time;
			}
		}
	}
	pairs[k] = (struct pairs){ (const double(*)[2])made[k], true };
}

static void make_all(uint64_t start, const struct noise *noise, double slower)
{
	seed = start;
	for (unsigned k = 0; k < KERNELS; k++)
		make(k, noise, slower);
}

struct outcome {
	struct ratio each[KERNELS], mean;
	unsigned slower;  /* how many kernels */
};

static struct outcome judge(void)
{
	struct outcome outcome = { .slower = 0 };

	CHECK(ratios(&usual, pairs, KERNELS, outcome.each, &outcome.mean));
	for (unsigned k = 0; k < KERNELS; k++)
		outcome.slower += ratio_one_slower(&outcome.each[k]);
	return outcome;
}

static void test_equal_ones_pass(void)
{
	for (uint64_t s = 1; s <= 10; s++) {
		make_all(s, s % 2 ? &quiet : &loaded, 1);
		struct outcome outcome = judge();

		CHECK_INT(outcome.slower, 0);
		CHECK(!ratio_mean_slower(&outcome.mean));
	}
}

static void test_5_percent_of_one_fail(void)
{
	for (uint64_t s = 1; s <= 10; s++) {
		make_all(s, &quiet, 1);
		make(7, &quiet, 1.05);
		struct outcome outcome = judge();

		CHECK_INT(outcome.slower, 1);
		CHECK(ratio_one_slower(&outcome.each[7]));
		CHECK(!ratio_mean_slower(&outcome.mean));
	}
}

static void test_2_percent_of_one_pass(void)
{
	for (uint64_t s = 1; s <= 10; s++) {
		make_all(s, &quiet, 1);
		make(7, &quiet, 1.02);
		struct outcome outcome = judge();

		CHECK_INT(outcome.slower, 0);
		CHECK(!ratio_mean_slower(&outcome.mean));
	}
}

static void test_1_5_percent_of_all_fail(void)
{
	for (uint64_t s = 1; s <= 10; s++) {
		make_all(s, &quiet, 1.015);
		struct outcome outcome = judge();

		CHECK_INT(outcome.slower, 0);
		CHECK(ratio_mean_slower(&outcome.mean));
	}
}

/* One that is not counted has its ratio and no part in the mean. */
static void test_an_excepted_one_is_not_in_the_mean(void)
{
	struct outcome with, without;

	make_all(3, &quiet, 1);
	make(7, &quiet, 2);
	with = judge();
	pairs[7].counted = false;
	without = judge();
	CHECK(ratio_mean_slower(&with.mean));
	CHECK(!ratio_mean_slower(&without.mean));
	CHECK(without.each[7].ratio > 1.9 && without.each[7].low > 1.9);
}

/* All rounds agree, and each pass says something else: nothing is sure. */
static void test_luck_of_passes_is_not_taken_for_speed(void)
{
	static const struct noise lucky = { 0.001, 0.08, 0 };
	unsigned wrong = 0;

	for (uint64_t s = 1; s <= 10; s++) {
		make_all(s, &lucky, 1);
		wrong += judge().slower;
	}
	CHECK(wrong <= KERNELS * 10 / 40);
}

/* An interval has what is true in it, in 95 of 100 cases or so. */
static void test_intervals_cover(void)
{
	unsigned covered = 0, count = 0;

	for (uint64_t s = 1; s <= 10; s++) {
		make_all(s + 50, &loaded, 1.1);
		struct outcome outcome = judge();

		for (unsigned k = 0; k < KERNELS; k++, count++)
			covered += outcome.each[k].low <= 1.1 && 1.1 <= outcome.each[k].high;
	}
	CHECK(covered >= count * 93 / 100 && covered <= count * 98 / 100);
	printf("# %u of %u intervals have it\n", covered, count);
}

static bool near(double got, double want)
{
	return fabs(got - want) < 1e-9;
}

/* Times without any noise: the medians of an even number and of an odd one, and no width. */
static void test_medians(void)
{
	static const double even[4][2] = { { 8, 16 }, { 1, 2 }, { 4, 8 }, { 2, 4 } };
	static const double odd[3][2] = { { 9, 3 }, { 3, 1 }, { 6, 2 } };
	struct pairs one = { even, true }, other = { odd, false };
	struct ratio each, mean;

	CHECK(ratios(&(struct plan){ 1, 4, 100 }, &one, 1, &each, &mean));
	CHECK(near(each.before, 3) && near(each.after, 6) && near(each.ratio, 2));
	CHECK(near(each.low, 2) && near(each.high, 2));
	CHECK(near(mean.ratio, 2) && near(mean.low, 2) && near(mean.high, 2));
	CHECK(ratios(&(struct plan){ 1, 3, 100 }, &other, 1, &each, &mean));
	CHECK(near(each.before, 6) && near(each.after, 2));
	CHECK(mean.ratio == 1 && mean.low == 1 && mean.high == 1);
}

/* Seven of ten times, or three, are longer, on one side twice and on the other four times. */
static void test_medians_of_resamples(void)
{
	static double times[TIMES][2];
	struct pairs one = { (const double(*)[2])times, true };
	struct ratio each, mean;

	for (unsigned shorter = 3; shorter <= 7; shorter += 4) {
		for (unsigned i = 0; i < TIMES; i++) {
			times[i][0] = i % 10 < shorter ? 1 : 2;
			times[i][1] = i % 10 < shorter ? 1 : 4;
		}
		CHECK(ratios(&usual, &one, 1, &each, &mean));
		CHECK(near(each.ratio, shorter == 3 ? 2 : 1));
		CHECK(near(each.low, each.ratio) && near(each.high, each.ratio));
	}
}

/* The machine is up to a third slower in some passes, on both sides: no less is known. */
static void test_moments_of_the_machine_do_not_matter(void)
{
	static const struct noise steady = { 0.01, 0, 0 };
	struct outcome outcome;

	make_all(5, &steady, 1.04);
	outcome = judge();
	for (unsigned k = 0; k < KERNELS; k++)
		CHECK(outcome.each[k].high - outcome.each[k].low < 0.01);
}

static void test_what_cannot_be_is_refused(void)
{
	struct ratio each[1], mean;

	make_all(1, &quiet, 1);
	CHECK(!ratios(&(struct plan){ 0, 1, 100 }, pairs, 1, each, &mean));
	CHECK(!ratios(&(struct plan){ 1, 1, 0 }, pairs, 1, each, &mean));
	CHECK(!ratios(&(struct plan){ 2, MOST_TIMES / 2 + 1, 100 }, pairs, 1, each, &mean));
}

int main(void)
{
	RUN(test_equal_ones_pass);
	RUN(test_5_percent_of_one_fail);
	RUN(test_2_percent_of_one_pass);
	RUN(test_1_5_percent_of_all_fail);
	RUN(test_an_excepted_one_is_not_in_the_mean);
	RUN(test_luck_of_passes_is_not_taken_for_speed);
	RUN(test_intervals_cover);
	RUN(test_medians);
	RUN(test_medians_of_resamples);
	RUN(test_moments_of_the_machine_do_not_matter);
	RUN(test_what_cannot_be_is_refused);
	return tap_end();
}
