/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The one device has one context, its primary one. It lives from the first
 * retain to the last release; its handle stays the same through further lives,
 * as a real driver's does. The first fault of a kernel sticks to it until then.
 *
 * The caller of everything here holds the driver's lock.
 */
#ifndef DRIVER_CONTEXT_H
#define DRIVER_CONTEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "cuda_abi.h"

/* Why no call of the context may go on (201, 709, or the fault that stuck), or 0. */
CUresult context_result(bool current);

/* Tells whether the calling thread has the context current. */
bool context_is_current(void);

/* What programs hold. */
CUcontext context_handle(void);

/* Counts the lives of the context; changes when it is destroyed. */
uint64_t context_life(void);

/* The fault that stuck, or 0. */
CUresult context_fault(void);

/*
 * Makes @code stick, if it is the first, and stops the kernels that run. The
 * report follows once the kernel that faulted has ended.
 */
void context_fail(CUresult code);

/* Sets the report of the fault that stuck; ignored when it has one. */
void context_report(const char *text);

/* Tells whether a fault stuck whose report has not come yet. */
bool context_report_pending(void);

/* Waits until everything submitted so far is done. Returns the fault that stuck, if any. */
CUresult context_wait(void);

#endif
