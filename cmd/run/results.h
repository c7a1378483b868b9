/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What comes out of a run: comparisons, printed buffers, files. @index: of the step. What could
 * not be written to stdout is noted in run->unprinted, and is no failure of the step.
 */
#ifndef CMD_RESULTS_H
#define CMD_RESULTS_H

#include "run.h"

/* Compares; a mismatch is reported on stderr and counted in @run, and is no failure. */
int results_expect(struct run *run, size_t index, struct err *e);

/* Takes a copy of the buffer for results_write(); "-" is written to stdout at once. */
int results_out(struct run *run, size_t index, struct err *e);

/* Prints one line: "NAME: v v v". */
int results_print(struct run *run, size_t index, struct err *e);

/* Writes the files of all --out options. GPURUN_IO. */
int results_write(struct run *run, struct err *e);

#endif
