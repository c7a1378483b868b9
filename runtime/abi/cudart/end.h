/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The end of the process, or of a library with kernels: what still runs is waited for, as
 * long as GPURUN_EXIT_WAIT says. */
#ifndef CUDART_END_H
#define CUDART_END_H

#include <stdbool.h>

/*
 * Waits for the work on all devices that have been used. False when nothing may be
 * unloaded: it did not end in time, or this is a host function, which the work itself
 * waits for.
 */
bool end_wait(void);

/*
 * The same, so that what kernels print comes out, and unloads every image; what did not
 * end in time is left to the driver, and said on stderr. Calls are refused by then.
 */
void end_process(void);

#endif
