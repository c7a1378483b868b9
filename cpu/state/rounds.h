/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How long one group of a warp runs while others wait, by the interpreter and by compiled code. */
#ifndef CPU_ROUNDS_H
#define CPU_ROUNDS_H

/* Back-edges of a loop that waits for no other thread, before another group runs all the same. */
enum { MOST_ROUNDS = 1 << 20 };

#endif
