/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* When the events of a run happened on the device, as reports have it. */
#ifndef CMD_EVENTS_H
#define CMD_EVENTS_H

#include "run.h"

/*
 * Asks, where there is a report, when each event that was recorded happened; all work is
 * done. What gpurun_event_elapsed() fails with.
 */
int events_read(struct run *run, struct err *e);

/* Adds the array "events" of event, stream, elapsed_ns; none was recorded: nothing. */
void events_report(const struct run *run, struct json *json);

#endif
