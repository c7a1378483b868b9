/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A trace as a file of Chrome's trace event format, which Perfetto and chrome://tracing show. The
 * format: "Trace Event Format", by Google; times are microseconds there, with nanoseconds as
 * fractions.
 */
#ifndef CMD_TRACE_CHROME_H
#define CMD_TRACE_CHROME_H

#include "trace.h"

/*
 * Writes @trace to the file @path, which is replaced: a track for each thread of the host, one for
 * each stream where its times on the device are known; arrows from calls to what the device did of
 * them, and from records of events to what waited for them. GPURUN_IO, GPURUN_NO_MEMORY.
 */
int trace_write_chrome(const struct trace *trace, const char *path, struct err *e);

#endif
