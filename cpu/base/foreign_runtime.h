/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * NVIDIA's runtime library on this device: it asks for a table of functions that is
 * NVIDIA's own, and does not start without it. What the program then prints, or does not
 * print, tells nobody why; this does, once in a process.
 *
 * Other libraries that ask for tables go on without them, NVRTC for one: of those nothing
 * is said.
 */
#ifndef CPU_FOREIGN_RUNTIME_H
#define CPU_FOREIGN_RUNTIME_H

#include "cuda_abi.h"

/*
 * Tells on stderr, where @table is the one by which NVIDIA's runtime begins, that this is
 * what happens and how the program is run instead. @caller is an address in what asked: it
 * is named where the runtime is not a library of its own. With GPURUN_STRICT_RUNTIME=1 a
 * process that would end with status 0 ends with 115 then. Thread-safe; holds no lock.
 */
void foreign_runtime_ask(const CUuuid *table, const void *caller);

#endif
