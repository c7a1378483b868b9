/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What the launches of a run executed, which the CPU device counts with count=1. It writes that to
 * the trace of the run (trace_file.h), or to a file that only this process reads.
 */
#ifndef CMD_COUNTING_H
#define CMD_COUNTING_H

#include "run.h"

/* Before the device is opened: prepares the file, if @run's device counts. GPURUN_INTERNAL,
 * GPURUN_NO_MEMORY. */
int counting_begin(const struct run *run, struct err *e);

/* After all launches are awaited: notes in their steps what was counted, and says it under
 * --verbose. GPURUN_IO, GPURUN_NO_MEMORY. */
int counting_read(struct run *run, struct err *e);

#endif
