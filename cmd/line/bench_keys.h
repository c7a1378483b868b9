/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The value of --bench: how much is measured, and what of. */
#ifndef CMD_BENCH_KEYS_H
#define CMD_BENCH_KEYS_H

#include <stdbool.h>
#include <stdint.h>

#include "err.h"

struct bench_keys {
	bool warm, count;
	double max_noise;   /* percent; 0: runs and time alone end it */
	double max_slowdown; /* percent; negative: none was given */
	uint64_t runs;      /* at most; 0: any number */
	uint64_t warmup;    /* runs; UINT64_MAX: as the time allows */
	uint64_t time;      /* nanoseconds, at most, without comparing */
	uint64_t bytes, flops; /* of each launch; 0: not given */
};

/* What holds without a key. */
#define BENCH_KEYS_DEFAULT \
	{ .max_noise = 0.5, .max_slowdown = -1, .warmup = UINT64_MAX, .time = 15000000000 }

/*
 * Reads @text, the keys with commas between them, or NULL for none, into @keys, which has the
 * defaults. @option is what the user has said them with. GPURUN_INVALID names the key, and says
 * which there are.
 */
int bench_keys_read(const char *option, const char *text, struct bench_keys *keys, struct err *e);

/* How often a run is carried out, and what of it is timed. */
struct bench_options {
	bool wanted;         /* --bench is given */
	const char *text;    /* its value, or NULL */
	struct bench_keys keys;
	const char *against; /* FILE[:KERNEL], or NULL */
	const char *repeat; /* of --repeat, or NULL */
	uint64_t times;      /* what that says; 0: not given */
	uint64_t limit;      /* of --timeout, nanoseconds; 0: none */
};

/*
 * Reads the texts of @options, of which @wanted says whether --bench is given, and refuses what
 * does not go together. Call it once. GPURUN_INVALID.
 */
int bench_options_read(struct bench_options *options, bool wanted, struct err *e);

#endif
