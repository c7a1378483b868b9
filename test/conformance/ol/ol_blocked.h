/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A queue that stands still until the test resumes it, or two seconds have passed. */
#ifndef CONFORMANCE_OL_BLOCKED_H
#define CONFORMANCE_OL_BLOCKED_H

#include <stdatomic.h>

#include "ol.h"

static atomic_bool gate_entered, gate_opened, gate_passed;

static void gate(void *unused)
{
	(void)unused;
	gate_entered = true;
	for (int i = 0; i < 2000 && !gate_opened; i++)
		usleep(1000);
	gate_passed = true;
}

/* Makes a queue that stands still. The stub driver cannot: there it has gone on. */
TAP_UNUSED static ol_queue_handle_t blocked_queue(void)
{
	ol_queue_handle_t queue = new_queue();

	gate_opened = !executes();
	gate_entered = gate_passed = false;
	if (!CHECK_OK(olLaunchHostFunction(queue, gate, NULL)))
		return queue;
	while (!gate_entered)
		usleep(1000);
	return queue;
}

/* Checks that nothing has waited for the queue, and resumes it. */
#define CHECK_BLOCKED()                                                                    \
	do {                                                                               \
		CHECK(gate_passed == !executes());                                         \
		gate_opened = true;                                                        \
	} while (0)

#endif
