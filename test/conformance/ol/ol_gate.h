/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Host functions that hold queues, for tests of what waits for what: such a test has
 * to make things wait that it then finds waiting. The stub driver runs a host
 * function inside the call that enqueues it: these tests end early there.
 *
 * A driver may wait for all that runs before it loads a kernel, which it does as late as
 * at the first launch, or makes pinned memory: what a test needs of these, it has
 * before it holds anything.
 */
#ifndef CONFORMANCE_OL_GATE_H
#define CONFORMANCE_OL_GATE_H

#include <stdatomic.h>
#include <time.h>

#include "ol.h"

/* Holds the queue that reached it until it is open; one that stays shut opens itself. */
struct gate {
	atomic_bool open, passed;
};

static void ol_pass(void *data)
{
	struct gate *gate = data;

	for (int i = 0; i < 20000 && !atomic_load(&gate->open); i++)
		usleep(1000);
	atomic_store(&gate->passed, true);
}

/* Enqueues @gate, shut, on @queue. False where nothing can be held. */
TAP_UNUSED static bool hold(ol_queue_handle_t queue, struct gate *gate)
{
	atomic_init(&gate->open, false);
	atomic_init(&gate->passed, false);
	return executes() && CHECK_OK(olLaunchHostFunction(queue, ol_pass, gate));
}

TAP_UNUSED static void open_gate(struct gate *gate)
{
	atomic_store(&gate->open, true);
}

/* The host function that counts. */
TAP_UNUSED static void count(void *counter)
{
	atomic_fetch_add((atomic_int *)counter, 1);
}

/* What is not held up gets so long to go on. */
TAP_UNUSED static void leave_time(void)
{
	usleep(20000);
}

/* Waits, ten seconds at most, until @counter is @want, and tells whether it is. */
TAP_UNUSED static bool reaches(atomic_int *counter, int want)
{
	for (int i = 0; i < 10000 && atomic_load(counter) != want; i++)
		usleep(1000);
	return atomic_load(counter) == want;
}

TAP_UNUSED static double seconds(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

TAP_UNUSED static ol_event_handle_t new_event(ol_queue_handle_t queue)
{
	ol_event_handle_t event = NULL;

	CHECK_OK(ol_create_event(queue, &event));
	return event;
}

TAP_UNUSED static bool is_complete(ol_event_handle_t event)
{
	bool complete = false;

	CHECK_OK(olGetEventInfo(event, OL_EVENT_INFO_IS_COMPLETE, sizeof(complete), &complete));
	return complete;
}

TAP_UNUSED static bool is_empty(ol_queue_handle_t queue)
{
	bool empty = false;

	CHECK_OK(olGetQueueInfo(queue, OL_QUEUE_INFO_EMPTY, sizeof(empty), &empty));
	return empty;
}

/* Plays a scene of a fault, of which a driver may say more by itself. */
TAP_UNUSED static void play_fault(const char *name)
{
	struct ending ending = play(name, NULL);

	if (!CHECK_INT(ending.status, 0))
		printf("%s", ending.said);
}

#endif
