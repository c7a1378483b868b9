/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The processes of a side. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "sides.h"
#include "times.h"

enum { WARM_UP = 10 };

static unsigned checked; /* launches that an earlier counter has counted */

void fail(const char *what, const char *why)
{
	fprintf(stderr, "ol: %s%s%s\n", what, why ? ": " : "", why ? why : "");
	exit(1);
}

static bool launches(enum operation operation)
{
	return operation <= EVENT_CYCLE;
}

static void repeat(const struct side_calls *side, struct order order, unsigned *launched)
{
	for (int i = 0; i < order.count; i++)
		side->operations[order.operation]();
	*launched += launches(order.operation) ? (unsigned)order.count : 0;
}

/* The GPU comes from another process, which takes it a while: that is not measured. */
static void warm_up(const struct side_calls *side, enum operation operation,
		    unsigned *launched)
{
	repeat(side, (struct order){ operation, WARM_UP }, launched);
	side->finish();
}

static void check(const struct side_calls *side, unsigned launched)
{
	unsigned counted = side->counted();
	char text[100];

	snprintf(text, sizeof(text), "%u launches, the device has counted %u", launched,
		 counted);
	if (counted != launched)
		fail("kernels were lost", text);
}

/* Leaves the side without memory of its own; the next counter begins at 0. */
static void check_and_free(const struct side_calls *side, unsigned *launched)
{
	check(side, *launched - checked);
	checked = *launched;
	side->free_counter();
}

static double measure(const struct side_calls *side, struct order order, unsigned *launched)
{
	double start, end;

	if (order.operation == ALLOC_ALONE)
		check_and_free(side, launched);
	warm_up(side, order.operation, launched);
	start = now();
	repeat(side, order, launched);
	end = now();
	side->finish();
	if (order.operation == ALLOC_ALONE)
		side->new_counter();
	return (end - start) / order.count;
}

static void answer(int to, double value)
{
	if (write(to, &value, sizeof(value)) != sizeof(value))
		fail("write", NULL);
}

void serve(const struct side_calls *side, const char *library, int from, int to)
{
	struct order order;
	unsigned launched = 0;

	side->open(library);
	side->init();
	side->set_up();
	while (read(from, &order, sizeof(order)) == sizeof(order) && order.operation < CALLS)
		answer(to, measure(side, order, &launched));
	check(side, launched - checked);
	side->tear_down();
	side->shut_down();
	answer(to, launched);
	exit(0);
}

static double timed(void (*call)(void))
{
	double start = now();

	call();
	return now() - start;
}

/* From coming up to going down again. */
static void live_once(const struct side_calls *side, double times[INIT_AGAIN - INIT])
{
	double start = now();

	times[0] = timed(side->init);
	side->set_up();
	side->operations[LAUNCH_SYNC]();
	times[RESULT - INIT] = now() - start;
	check(side, 1);
	side->tear_down();
	times[SHUT_DOWN - INIT] = timed(side->shut_down);
}

void live(const struct side_calls *side, const char *library, int to)
{
	double times[PROCESS - INIT];

	side->open(library);
	live_once(side, times);
	live_once(side, times + (INIT_AGAIN - INIT));
	if (write(to, times, sizeof(times)) != sizeof(times))
		fail("write", NULL);
	exit(0);
}
