/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * check=api: every call of the driver, or of the runtime, that the program makes itself and that
 * fails is a finding, whether the program reads the result or not; but what harmless_calls.def
 * excepts, and allocations for which there was no memory, if a later one of the same call worked.
 * Thread-safe.
 */
#ifndef CPU_FAILED_H
#define CPU_FAILED_H

#include <stdatomic.h>
#include <stdbool.h>

/*
 * Notes that @call, which returns to @caller, failed with @error. A call by a library of ours is
 * none of the program's. The cause (cause.h) is that of the thread's last call of the driver, or
 * @why, which may be "".
 */
void failed_call(const char *call, int error, const char *error_name, const char *why,
		 const void *caller);

/* Tells whether @caller is in our libcudart. */
bool failed_caller_is_cudart(const void *caller);

/* Tells whether @caller is in one of our libraries, which report their failures themselves. */
bool failed_caller_is_ours(const void *caller);

/* Whether a call was out of memory, so that failed_worked() is of use. */
extern atomic_bool failed_pending;

/* Notes that @call has worked. */
void failed_worked(const char *call);

/* Reports the calls that were out of memory and did not work later: the process ends. */
void failed_end(void);

#endif
