/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The operations that write a word of memory, or wait for one. */
#ifndef CPU_VALUE_WAIT_H
#define CPU_VALUE_WAIT_H

#include <stdbool.h>

struct task;
struct task_value;

/* Writes the word. Needs no lock. */
void value_write(const struct task_value *value);

/* Starts the wait of @task, which may start; task_done() follows from another thread. The caller
 * holds the lock. */
void value_wait(struct task *task);

/* Ends the waits that are satisfied, or lost (task_lost()); tells whether there were any. The
 * caller holds the lock. */
bool value_poll(void);

#endif
