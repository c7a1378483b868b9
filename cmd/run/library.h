/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a call of libgpurun reported, as an error of the command. */
#ifndef CMD_LIBRARY_H
#define CMD_LIBRARY_H

#include "err.h"

/*
 * Moves what the calling thread's last gpurun call reported into @e (text and
 * hint) with @status, which is returned; but what a driver takes for an invalid
 * argument is no wrong command line, and becomes GPURUN_DRIVER. A fault is noted for
 * the report (fault_note()).
 */
int library_status(int status, struct err *e);

/* The same, of a call. */
#define CALL(call, e) library_status(call, e)

#endif
