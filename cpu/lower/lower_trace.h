/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * GPURUN_CPU=trace=KERNEL[:BLOCK[:THREAD]]: each instruction that those threads execute, with the
 * values that it reads and then those that it has written, on stderr. Lowering places an op before
 * and after each instruction of such a kernel; others have no cost.
 */
#ifndef CPU_LOWER_TRACE_H
#define CPU_LOWER_TRACE_H

#include "lower.h"

/* Tells whether config.trace matches @kernel: l->traced. */
bool trace_wants(const char *kernel);

/* Emits the op that reports the present instruction and what it reads. GPURUN_NO_MEMORY. */
int trace_before(struct lowering *l);

/* Emits the op that reports what it has written, if anything. GPURUN_NO_MEMORY. */
int trace_after(struct lowering *l);

/* Accepts NULL. */
void trace_free(struct trace *trace);

#endif
