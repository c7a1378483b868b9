/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Counts of what the program has asked of the device: launches, and the calls
 * that are exported and refused, by name. Reported in one line at the end of the
 * process when GPURUN_LOG has "calls".
 */
#ifndef CPU_CALLS_H
#define CPU_CALLS_H

#include <stdbool.h>

#include "cuda_abi.h"

/* The calls that are refused: rows of cuda_api.def. */
enum refused {
#define CUDA_API(name, symbol, need, params, args)
#define CUDA_REFUSED(name, symbol, since, group) REFUSED_##name,
#include "cuda_api.def"
	REFUSED_CALLS,
};

/*
 * The result of @call: 801, for OpenGL's calls 219 as without a current OpenGL
 * context; but that of any call before cuInit (3) and at the end (4), and 800 inside a host
 * function. Acquires the lock itself; the log (logs.h) gets a message.
 */
CUresult calls_refuse(enum refused call);

/* Counts a launch; @first: it is the first of its kernel. The caller holds the lock. */
void calls_launched(bool first);

/* Writes the line on stderr. The caller holds the lock. */
void calls_report(void);

#endif
