/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* When code is compiled, and what compiled code calls. Without x86-64, and with make JIT=0,
 * nothing is. */
#ifndef CPU_COMPILED_H
#define CPU_COMPILED_H

#include "launch.h"
#include "program.h"

/* Tells whether kernels may be compiled in this process. */
bool compiled_wanted(void);

/* Tells whether kernels would be compiled, and the system does not execute what was written. */
bool compiled_forbidden(void);

/*
 * Before the warps of a block run @code of the kernel of @launch: if that is wanted and has not
 * been tried, compiles it, or counts from here on how long it is interpreted. Warps enter compiled
 * code where they come to it next. A kernel that cannot be compiled stays with the interpreter.
 * Thread-safe.
 */
void compiled_prepare(const struct launch *launch, struct code *code);

/* Tells whether it is counted how long @code is interpreted. */
static inline bool compiled_counts(const struct code *code)
{
	return atomic_load_explicit(&code->compiling, memory_order_relaxed) == COMPILING_COUNTS;
}

/* Counts that blocks of @launch ran @code for @ns, of which they have spent so much (cta->spent);
 * has it compiled by another thread when it is worth that. Thread-safe. */
void compiled_count(const struct launch *launch, struct code *code, uint64_t ns, uint64_t spent);

#endif
