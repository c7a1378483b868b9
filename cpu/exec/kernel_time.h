/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * GPURUN_LOG=jit-time: how long kernels ran, and how much of that in compiled code, without the
 * handlers that it calls. Of each code that an entry was lowered to, up to the end of the process.
 */
#ifndef CPU_KERNEL_TIME_H
#define CPU_KERNEL_TIME_H

#include <stdint.h>

struct cta;
struct kernel_time;

/* Begins to count for a kernel @name, copied; NULL: no memory. Thread-safe, as all of these. */
struct kernel_time *kernel_time_new(const char *name);

/* Counts that the blocks of @cta, which is the first of its cluster, ran for so long, by
 * clock_now() and by host_ticks(). */
void kernel_time_add(struct cta *cta, uint64_t ns, uint64_t ticks);

/* Writes a line for each kernel that ran, and one for all, to stderr. */
void kernel_time_report(void);

#endif
