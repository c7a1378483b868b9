/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Events: each refers to the operation it was recorded as last. Whoever waits
 * for it waits for that operation, whatever happens to the event afterwards.
 */
#ifndef CPU_EVENT_H
#define CPU_EVENT_H

#include "cuda_abi.h"

struct context;
struct task;

/*
 * Checks that there is @event, and makes the operation that records it; task_put() it. The caller
 * holds the driver's lock.
 */
CUresult event_prepare(CUevent event, struct task **task);

/* Records @event at the end of @stream by @task. The caller holds the driver's lock. */
CUresult event_record_by(CUevent event, CUstream stream, struct task *task);

/* Tells of the events of @context, or of any with NULL, that the program has not given back. */
void event_report_leaks(const struct context *context);

/* Destroys every event of @context. The caller holds the driver's lock. */
void event_clear(const struct context *context);

#endif
