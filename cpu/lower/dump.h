/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* GPURUN_CPU=dump=KERNEL: what a kernel was lowered to, on stderr. */
#ifndef CPU_DUMP_H
#define CPU_DUMP_H

#include "lower.h"

/*
 * Writes the ops of the function that was lowered last, l->now, which belongs to entry
 * @kernel: each PTX instruction, where its registers are, then its ops. Writes nothing if
 * config.dump does not match @kernel. GPURUN_NO_MEMORY.
 */
int dump_function(struct lowering *l, const char *kernel);

#endif
