/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The value of --trace: a file, and keys of what the trace has more. */
#ifndef CMD_TRACE_KEYS_H
#define CMD_TRACE_KEYS_H

#include "err.h"

struct output_options;
struct texts;

/*
 * Takes the keys out of the value of --trace, which is the name of a file then, and one of @made,
 * whose texts the caller frees. Call it once. GPURUN_INVALID; GPURUN_NO_MEMORY.
 */
int trace_keys_read(struct output_options *output, struct texts *made, struct err *e);

#endif
