/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * How often something is run until its times can be believed, and what they are then. What runs is
 * behind an executor: a device (bench.c), or in tests one whose times are known.
 */
#ifndef CMD_MEASURE_H
#define CMD_MEASURE_H

#include "bench_keys.h"
#include "err.h"
#include "statistics.h"

/* What one launch took, in nanoseconds. */
struct bench_sample {
	double device;
	double host;     /* the call that enqueued it */
	bool throttled;  /* the device was slowed down, by heat or power, around it */
};

struct series {
	struct bench_sample *at; /* owned */
	size_t count;
};

/* Who runs. A side is one of two things that are compared: 0 what is measured, 1 the other. */
struct executor {
	void *data;
	/* Runs @side once, from the same memory each time; fills in a sample for each launch. */
	int (*run)(void *data, size_t side, struct bench_sample *samples, struct err *e);
	/* Tells whether that run left what the checked one did. */
	int (*verify)(void *data, size_t side, bool *same, struct err *e);
	uint64_t (*now)(void *data); /* nanoseconds */
};

struct measurement {
	struct series *series;  /* owned; by side, and in it by launch */
	size_t sides, launches;
	uint64_t rounds;        /* measured: runs of each side */
	uint64_t warmups, verified;
	uint64_t nanoseconds;   /* that the measured ones took, with all around them */
	bool settled;           /* every interval is as narrow as was asked for */
	bool differs;           /* a run left something else: there are no times */
};

/*
 * Runs @sides sides of @launches launches by @executor as @keys say, at most until @deadline of
 * the executor's clock, or until a run leaves something else than the checked one. The order of
 * the sides is drawn anew each round, by @seed. @out is released by the caller (measured_release),
 * also after a failure: what the executor says, or GPURUN_NO_MEMORY.
 */
int measure(const struct executor *executor, const struct bench_keys *keys, size_t sides,
	    size_t launches, uint64_t seed, uint64_t deadline, struct measurement *out,
	    struct err *e);

void measured_release(struct measurement *measured);

/*
 * Which samples of @series count: those of times when the device was not slowed down, unless
 * that leaves less than half of them; then all do.
 */
bool series_drops_throttled(const struct series *series);
size_t series_throttled(const struct series *series);

/* The summary of the times of the device, or of the calls of the host. GPURUN_NO_MEMORY. */
int series_summary(const struct series *series, bool host, struct summary *out, struct err *e);

/* How the times of the two sides compare: those of side 0 with those of side 1 as 1. */
struct time_ratio {
	struct interval interval; /* of the median of the ratios of pairs of runs */
	double step;              /* of the timer, with the time of side 1 as 1 */
	double margin;            /* a difference up to it says nothing */
};

/*
 * Compares launch @launch. The margin is @percent, or a step of the timer if that is more: where
 * code and data happen to lie makes a difference, too, which no number of runs averages out.
 * GPURUN_NO_MEMORY.
 */
int measured_ratio(const struct measurement *measured, size_t launch, double percent,
		   struct time_ratio *out, struct err *e);

/* Tells whether side 0 takes longer, or is faster, by more than the margin, at 95 %. */
bool ratio_is_slower(const struct time_ratio *ratio);
bool ratio_is_faster(const struct time_ratio *ratio);

#endif
