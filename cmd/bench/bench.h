/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * --bench: times the launches of a run on its device. docs/bench.md says what is timed, and what
 * the numbers mean and do not.
 */
#ifndef CMD_BENCH_H
#define CMD_BENCH_H

#include "clocks.h"
#include "counted.h"
#include "execute.h"
#include "measure.h"

/* Of one launch, or of that of --against; nanoseconds. */
struct bench_row {
	char kernel[NAME_SIZE];
	size_t number;           /* of the launch on the command line, from 1 */
	struct summary device;   /* what it took */
	struct summary host;     /* the call that enqueued it */
	double first_call;       /* that of the checked run */
	size_t throttled;        /* samples of times when the device was slowed down */
	bool dropped;            /* they do not count; else there were no others */
	uint64_t bytes, flops;   /* of one launch; 0: not known */
	struct counted counted;  /* what it executes, if has_counted */
	bool has_counted;
};

/* What --bench found out. */
struct bench_result {
	bool on_cpu, warm, settled;
	double max_noise;        /* percent, as was asked for */
	uint64_t rounds, warmups, verified;
	double seconds;          /* of the measured rounds, with all around them */
	double load[2];          /* nanoseconds that loading took, by side */
	double peak_bytes, peak_flops; /* of the device, a second; 0: not known */
	char clocks_missing[96]; /* why the next three are not known; "": they are */
	struct clock_reading slowest, fastest;
	uint64_t reasons;        /* all that slowed it down */
	char against[NAME_SIZE]; /* the value of --against; "": none */
	struct time_ratio ratio; /* of the launch's time to that */
	size_t sides, launches;
	struct bench_row rows[]; /* by side, and in it by launch */
};

/*
 * Refuses what cannot be timed, or repeated: without a launch, with --unload, or bytes= and flops=
 * of several launches: GPURUN_INVALID; and what against_plan() refuses.
 */
int bench_check(const struct plan *plan, struct err *e);

/*
 * The work of --bench: the steps one time, as without it; then, unless there is a mismatch, run
 * after run, until enough is known; the result is run->bench then, which stays NULL where a run
 * left something else than the first one. That, and more than max-slowdown=, is a mismatch.
 */
run_work bench_steps;

#endif
