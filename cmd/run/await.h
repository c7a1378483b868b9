/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Waiting for streams and events; whose fault it is when something fails. */
#ifndef CMD_AWAIT_H
#define CMD_AWAIT_H

#include "run.h"

/*
 * Waits for the stream or event of that index, or for all streams. A fault is reported with the
 * launches that may have caused it.
 */
int await_stream(struct run *run, size_t stream, struct err *e);
int await_event(struct run *run, size_t event, struct err *e);
int await_all(struct run *run, struct err *e);

/* Adds to @e, which is set, which launch of @awaited failed, or all. Returns the status of @e. */
int await_failed(struct run *run, struct awaited awaited, struct err *e);

/* Notes what the host waits for from now on, or, with a zero @awaited, that it no longer does. */
void await_set(struct run *run, struct awaited awaited);

#endif
