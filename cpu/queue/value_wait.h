/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The operations that wait for a word of memory. The caller holds the driver's lock. */
#ifndef CPU_VALUE_WAIT_H
#define CPU_VALUE_WAIT_H

#include <stdbool.h>

struct task;

/* Starts the wait of @task, which may start; task_done() follows from another thread. False when
 * no thread can be started. */
bool value_wait(struct task *task);

/* Ends the waits that are satisfied, or lost (task_lost()); tells whether there were any. */
bool value_poll(void);

#endif
