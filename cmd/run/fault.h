/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The fault of a kernel that the run met, and how reports show it: as an object with the parts of
 * the device's report, the same as a finding of the checker.
 */
#ifndef CMD_FAULT_H
#define CMD_FAULT_H

#include <stdbool.h>

#include "gpurun.h"
#include "json.h"

/*
 * Notes a fault of error @driver, of which the CPU device has reported *@report; of no event: it
 * was a GPU. It is the first one that counts. Safe from any thread.
 */
void fault_note(int driver, const struct gpurun_report *report);

/* The fault that was noted, with a kind in any case; false when there was none. */
bool fault_get(struct gpurun_report *report);

/* The lines of @report, owned by the caller; "" when it is of a GPU; NULL: no memory. */
char *fault_text(const struct gpurun_report *report);

/* Writes "fault", if there was one. */
void fault_report(struct json *json);

/* Writes the object of @report as an element of an array. */
void fault_report_element(struct json *json, const struct gpurun_report *report);

#endif
