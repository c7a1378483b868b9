/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What the stress programs share: the same over and over, while the memory of the
 * process must not grow. A hundredth of the counts is run; GPURUN_TEST_STRESS=100
 * (percent) runs them whole.
 */
#ifndef CONFORMANCE_STRESS_H
#define CONFORMANCE_STRESS_H

#include <dlfcn.h>
#include <time.h>
#include <unistd.h>

#include "sanitized.h"
#include "tap.h"

enum {
	LEAST = 5,    /* of each, however small the part is */
	BOUND = 1024, /* KiB that may come on top after the warming up */
};

static long percent = 1;

/* Reads how much of it is asked for. */
TAP_UNUSED static void stress_configure(void)
{
	const char *asked = getenv("GPURUN_TEST_STRESS");

	percent = asked ? strtol(asked, NULL, 10) : percent;
}

TAP_UNUSED static long part(long count)
{
	long some = count / 100 * percent;

	return some < LEAST ? LEAST : some;
}

/* KiB of memory that the process occupies. */
static long resident(void)
{
	FILE *file = fopen("/proc/self/statm", "r");
	long size = 0, pages = 0;

	if (file) {
		if (fscanf(file, "%ld %ld", &size, &pages) != 2)
			pages = 0;
		fclose(file);
	}
	return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static bool held; /* a context of a GPU */

/*
 * A GPU's driver keeps memory of each context that it makes: eight threads that
 * retain, use and release one by bare driver calls take it from 23 to 50 MiB in
 * thirty rounds. Held, the context stays, and what grows is ours, but for a few KiB
 * in a round that the driver has of threads that load modules. To be called while
 * the driver is initialised.
 */
TAP_UNUSED static void hold_context(int ordinal)
{
	const char *path = getenv("GPURUN_DRIVER");
	void *driver = dlopen(path ? path : "libcuda.so.1", RTLD_NOW);
	int (*retain)(void **context, int device) = NULL;
	void *context;

	if (driver)
		retain = dlsym(driver, "cuDevicePrimaryCtxRetain");
	REQUIRE(retain);
	CHECK_INT(retain(&context, ordinal), 0);
	held = true;
}

/* Does @once @count times, and tells how many KiB more the process has then. */
static long grown(const char *what, long first, long count, void (*once)(long i))
{
	const long before = resident();
	const double start = seconds();
	long after;

	for (long i = first; i < first + count && !tap.failed; i++)
		once(i);
	after = resident();
	printf("# %s: %ld times, %.2f us each, %ld KiB, then %ld KiB\n", what, count,
	       (seconds() - start) * 1e6 / (double)count, before, after);
	return after - before;
}

/*
 * Does @once @count times, after a tenth of that to warm up, or as many beside a context that
 * is held: memory must stay flat. What is lost is lost each time: where the process has grown, for
 * a thread that took another of malloc's arenas or a huge page, it has two more tries.
 */
TAP_UNUSED static void repeat(const char *what, long count, void (*once)(long i))
{
	long first = held ? count : count / 10 < LEAST ? LEAST : count / 10;
	int tries = SANITIZED ? 1 : 3;
	bool flat;

	for (long i = 0; i < first && !tap.failed; i++)
		once(i);
	do {
		flat = grown(what, first, count, once) <= BOUND;
		first += count;
	} while (!flat && --tries && !tap.failed);
	CHECK(SANITIZED || flat);
}

#endif
