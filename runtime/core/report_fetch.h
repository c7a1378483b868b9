/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The CPU device's reports. Their strings are in the calling thread's record. */
#ifndef RUNTIME_REPORT_FETCH_H
#define RUNTIME_REPORT_FETCH_H

#include "cuda_abi.h"
#include "err.h"
#include "gpurun.h"

/*
 * Keeps the device's report of a failure of @call with @result for the thread's record, and its
 * text for the log. Adds to @e, which may be NULL, which kernel it was where that is a fault.
 */
void report_keep(CUresult result, const char *call, struct err *e);

/* Appends to @e, which may be NULL, why the device refused the thread's last call, if it knows. */
void report_add_cause(struct err *e);

/* The report that was kept in the thread's last call; of no event: none was. GPURUN_INVALID. */
int report_of_failure(struct gpurun_report *report);

/* Fetches a report of @event, but for faults; of no event: there is none. GPURUN_INVALID. */
int report_fetch(int event, struct gpurun_report *report, struct err *e);

/* Copies the text of the oldest finding that was not copied yet; without one @text stays. 0. */
int report_finding(char *text, size_t size);

/* Notes that the program has asked for what the last call of the thread reports. */
void report_looked(void);

/* Notes that the program has initialised the library again, after a fault. */
void report_recovered(void);

/* From now on neither is noted: a library asks, not its program. */
void report_relay(void);

#endif
