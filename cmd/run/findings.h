/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the checker found in a run. The device has reported each already. */
#ifndef CMD_FINDINGS_H
#define CMD_FINDINGS_H

#include <stddef.h>

#include "err.h"
#include "gpurun.h"

struct findings {
	void **at;        /* owned, as are the records (lib/base/report_format.h) */
	size_t count;
	struct err first; /* the first line of the first one */
};

/* Adds those that were not taken from the device yet. GPURUN_NO_MEMORY. */
int findings_take(struct findings *findings, struct err *e);

/* Adds @report. GPURUN_NO_MEMORY. */
int findings_add(struct findings *findings, const struct gpurun_report *report, struct err *e);

/* Finding @i, whose strings are of @findings. */
struct gpurun_report findings_at(const struct findings *findings, size_t i);

/*
 * Returns how often what finding @i reports was reported, by any process: the same kind at the same
 * line of the same kernel, or in the same words where no line is known. 0: finding @i is not the
 * first of them.
 */
size_t findings_times(const struct findings *findings, size_t i);

void findings_release(struct findings *findings);

#endif
