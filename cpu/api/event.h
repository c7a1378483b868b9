/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Events: each has a reference to the operation of its last record. A wait for the
 * event waits for that operation, whatever happens to the event afterwards.
 */
#ifndef CPU_EVENT_H
#define CPU_EVENT_H

#include "cuda_abi.h"

struct context;
struct task;

/*
 * Checks that @event exists, and creates the operation that records it; task_put() it. The caller
 * holds the driver's lock.
 */
CUresult event_prepare(CUevent event, struct task **task);

/* Records @event at the end of @stream by @task. The caller holds the driver's lock. */
CUresult event_record_by(CUevent event, CUstream stream, struct task *task);

/* Reports the events of @context (NULL: of any) that the program has not destroyed. */
void event_report_leaks(const struct context *context);

/* Destroys every event of @context. The caller holds the driver's lock. */
void event_clear(const struct context *context);

#endif
