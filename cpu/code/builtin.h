/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions that the driver provides to kernels, by name: builtins.def. */
#ifndef CPU_BUILTIN_H
#define CPU_BUILTIN_H

#include "ptx.h"

/* Bytes of stack that a call needs at most: arguments, then the result. */
enum { BUILTIN_FRAME = 256 };

/* Finds the function @name, for the imm of an op that calls it; -1 when there is none. */
int builtin_find(struct ptx_name name);

/* What a kernel that calls @which uses: enum kernel_use. */
unsigned builtin_uses(int which);

#endif
