/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* --doctor: what prevents a run. */
#ifndef CMD_DOCTOR_H
#define CMD_DOCTOR_H

#include <stdint.h>

#include "err.h"
#include "output_options.h"

/*
 * Prints what each check found, for a run with the selector @device and, unless that
 * is NULL, of the host program @program. A check that asks a driver has @limit nanoseconds for
 * that. Returns what a run would fail with, or 0; a failure of its own is GPURUN_NO_MEMORY or
 * GPURUN_IO. The process must have no other threads, and not have used libgpurun.
 */
int doctor_print(const char *program, const char *device, uint64_t limit,
		 const struct output_options *output, struct err *e);

#endif
