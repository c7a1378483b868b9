/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What all threads of a launch executed, as the CPU device counts it with count=1. Which
 * instruction counts as what is in cpu/ptx/bases.def; gpurun-cpu(7) has the rules.
 */
#ifndef LIB_COUNTED_H
#define LIB_COUNTED_H

#include <stdint.h>

enum counted_kind {
#define COUNTED(id, ...) COUNTED_##id,
#include "counted.def"
	COUNTED_KINDS
};

struct counted {
	uint64_t at[COUNTED_KINDS]; /* by enum counted_kind */
};

#endif
