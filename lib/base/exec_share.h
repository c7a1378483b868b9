/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What gpurun --exec shares with the programs that it runs on the CPU device.
 *
 * The variable GPURUN_EXEC, which children inherit, has words between commas:
 *
 *	status          the device replaces a status that the parent of its process sees as 0, by
 *	                what went wrong
 *	expect-fault    a fault is no reason for that
 *	quiet           no line with the counts at the end
 *	log=PATH        a file that begins with struct exec_counts, of all processes together; from
 *	                EXEC_LOG_START on, records (report_format.h) are appended to it
 *	trace=PATH      a file for the calls of all processes (trace_file.h); alone for gpurun's own
 *
 * Without it a process has its own status. What is malformed counts as missing: the variable is for
 * gpurun itself.
 */
#ifndef LIB_EXEC_SHARE_H
#define LIB_EXEC_SHARE_H

#include <stdatomic.h>
#include <stdint.h>

#include "asserts.h"

#define EXEC_VARIABLE "GPURUN_EXEC"

struct exec_counts {
	_Atomic uint64_t launches; /* of kernels that ran to their end */
	_Atomic uint64_t failed;   /* launches that were refused, and kernels that broke down */
	_Atomic uint64_t kernels;  /* different ones, in each process */
	_Atomic uint64_t faults;
};

enum { EXEC_LOG_START = 512 };

/* Processes of other builds, 32-bit ones too, map the same file. */
static_assert(sizeof(struct exec_counts) == 32, "four counts of 8 bytes");
static_assert(sizeof(struct exec_counts) <= EXEC_LOG_START, "records follow the counts");

#endif
