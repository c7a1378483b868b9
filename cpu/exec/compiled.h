/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* When code is compiled, and what compiled code calls. Without x86-64, and with make JIT=0,
 * nothing is. */
#ifndef CPU_COMPILED_H
#define CPU_COMPILED_H

#include "launch.h"
#include "program.h"

/* Tells whether kernels may be compiled in this process. */
bool compiled_wanted(void);

/*
 * Compiles @code of the kernel of @launch, if that is wanted and it has not been tried: warps
 * that run it then enter the compiled code where they come to it next. A kernel that cannot be
 * compiled stays with the interpreter. Thread-safe.
 */
void compiled_prepare(const struct launch *launch, struct code *code);

#endif
