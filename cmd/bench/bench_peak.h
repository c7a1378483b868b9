/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a GPU can do at most, by what its driver says of it. */
#ifndef CMD_BENCH_PEAK_H
#define CMD_BENCH_PEAK_H

#include "gpurun.h"

/*
 * Bytes of memory, and operations on 32-bit floating-point numbers without tensor cores, a second,
 * at the highest clocks. 0: not known for a device of that compute capability.
 */
void bench_peak(const struct gpurun_device_info *info, double *bytes, double *flops);

#endif
