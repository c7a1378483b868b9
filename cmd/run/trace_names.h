/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the trace of a run has of the command line and of the images, and no driver knows. */
#ifndef CMD_TRACE_NAMES_H
#define CMD_TRACE_NAMES_H

#include "run.h"

/* Writes the names of the streams and events of @run, which are created, and the types of its
 * kernels, if it is traced. */
void trace_names(const struct run *run);

#endif
