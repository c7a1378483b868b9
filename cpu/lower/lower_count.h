/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * GPURUN_CPU=count=1: the bytes and operations of each launch. Lowering places an op that counts
 * before each instruction that has some, by its columns of bases.def; without the key it places
 * none. The op counts the lanes that run: those whose guard holds.
 */
#ifndef CPU_LOWER_COUNT_H
#define CPU_LOWER_COUNT_H

#include "lower.h"

/* Emits the ops that count the present instruction, before its own. GPURUN_NO_MEMORY. */
int count_before(struct lowering *l);

#endif
