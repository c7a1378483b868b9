/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * NVIDIA's runtime library on this device: it asks for a table of functions that is
 * NVIDIA's own, and does not start without it. What the program then prints, if anything,
 * does not explain that; this does, one time in a process.
 *
 * Other libraries that ask for tables work without them, such as NVRTC: nothing is reported
 * of those.
 */
#ifndef CPU_FOREIGN_RUNTIME_H
#define CPU_FOREIGN_RUNTIME_H

#include "cuda_abi.h"

/*
 * If @table is the one that NVIDIA's runtime asks for first, reports on stderr that it does
 * not start, and how to run the program instead. @caller is an address in what asked: it is
 * named if the runtime is not a shared library. Under gpurun --exec the process ends with 112 then
 * if no kernel ran (outcome.h). Thread-safe; holds no lock.
 */
void foreign_runtime_ask(const CUuuid *table, const void *caller);

#endif
