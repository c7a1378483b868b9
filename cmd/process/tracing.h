/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The trace of a run (cmd/trace): the file that its processes share, which the last process of ours
 * reads when they have ended: the parent of a worker, else the one that launches.
 */
#ifndef CMD_TRACING_H
#define CMD_TRACING_H

#include "trace.h"

struct output_options;

/* Whether a run is traced: with --trace, and that of a program (@exec) with JSON or --verbose. */
bool tracing_wanted(const struct output_options *output, bool exec);

/* Refuses, with GPURUN_IO, a file of --trace that cannot be written. */
int tracing_check(const struct output_options *output, struct err *e);

/*
 * Has the driver that this process opens write to a file of ours. @output lives as long as the
 * process. GPURUN_INTERNAL, GPURUN_NO_MEMORY.
 */
int tracing_begin(const struct output_options *output, struct err *e);

/*
 * Reads @fd, says the calls under --verbose where they are of a program, @exec, NULL for none, and
 * writes the file of --trace. @trace is the caller's. GPURUN_IO, GPURUN_NO_MEMORY.
 */
int tracing_end(const struct output_options *output, const char *exec, int fd, struct trace *trace,
		struct err *e);

/* The same for what tracing_begin() began, if it was called; once. */
int tracing_end_own(struct err *e);

#endif
