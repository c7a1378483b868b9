/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the command line calls streams and events, for the trace of a run. */
#ifndef CMD_TRACE_NAMES_H
#define CMD_TRACE_NAMES_H

#include "run.h"

/* Writes the names of the streams and events of @run, which are created, if it is traced. */
void trace_names(const struct run *run);

#endif
