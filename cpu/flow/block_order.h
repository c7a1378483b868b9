/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The order of a function's blocks. Of the groups of a warp the one at the smallest op runs, so
 * that lanes reconverge if what is between a branch and the place where its paths join again
 * precedes this place. Compilers write most functions so, but not all: a loop's last block
 * before its first, or what follows a loop within it.
 */
#ifndef CPU_BLOCK_ORDER_H
#define CPU_BLOCK_ORDER_H

#include "body.h"

/*
 * Rearranges the instructions of @body where lanes would not reconverge, with branches where a
 * block does not precede the one into which it falls through any more; else it does nothing.
 * GPURUN_NO_MEMORY.
 */
int order_blocks(struct body *body, struct err *e);

#endif
