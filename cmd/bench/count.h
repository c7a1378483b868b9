/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What the launches of a command line execute: it is run one time more, in a child, on the CPU
 * device, which counts (count=1).
 */
#ifndef CMD_COUNT_H
#define CMD_COUNT_H

#include <stddef.h>

#include "counted.h"
#include "err.h"

struct options;

/*
 * Runs the line of @options on the CPU device, with the keys of its own -d cpu:..., and without
 * what it prints, reports, writes, checks and measures. Fills in @by_launch for its @count options
 * --launch, in their order. It takes four fifths of --timeout at most, or five minutes. Safe where
 * other threads run; the caller is the thread that lives as long as the process does.
 *
 * On failure the text says why the run failed, the hint how to go without: GPURUN_NO_IMAGE for
 * machine code alone, GPURUN_FAULT for a kernel that breaks down, a time that is over or a child
 * that was killed, else the status of the run; GPURUN_INVALID for a line that reads stdin;
 * GPURUN_INTERNAL, GPURUN_NO_MEMORY.
 */
int count_launches(const struct options *options, struct counted *by_launch, size_t count,
		   struct err *e);

#endif
