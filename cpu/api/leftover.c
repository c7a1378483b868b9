/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "leftover.h"

#include <stdbool.h>

#include "arena.h"
#include "config.h"
#include "context.h"
#include "findings.h"

static _Thread_local struct {
	bool on;
	unsigned streams, events;
} leftover;

/* After a fault a program cannot release everything: leaks are not reported. */
static bool is_wanted(void)
{
	return leftover.on && config.check & CHECK_LEAK && !context_faulted();
}

void leftover_begin(void)
{
	leftover.on = true;
}

void leftover_end(void)
{
	finding_report_unreleased(leftover.streams, "stream", "cuStreamDestroy");
	finding_report_unreleased(leftover.events, "event", "cuEventDestroy");
	leftover.streams = leftover.events = 0;
	leftover.on = false;
}

void leftover_block(uint64_t address)
{
	if (is_wanted())
		arena_report_leak(address);
}

void leftover_stream(void)
{
	leftover.streams += is_wanted();
}

void leftover_event(void)
{
	leftover.events += is_wanted();
}
