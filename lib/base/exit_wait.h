/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* GPURUN_EXIT_WAIT: how long the end of a process waits for work that is not complete. */
#ifndef LIB_EXIT_WAIT_H
#define LIB_EXIT_WAIT_H

/* In seconds, a day at most; 10 where the variable is not set, empty or no such number. */
double exit_wait(void);

#endif
