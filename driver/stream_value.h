/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The operations that write a word of memory, or wait for one. */
#ifndef DRIVER_STREAM_VALUE_H
#define DRIVER_STREAM_VALUE_H

#include <stdbool.h>

struct op;
struct op_value;

/* Writes the word. Needs no lock. */
void value_write(const struct op_value *value);

/* Starts the wait of @op, whose turn has come; op_done() follows from another thread. The caller
 * holds the lock. */
void value_wait(struct op *op);

/* Ends the waits whose words have come, or that are lost (op_lost()); tells whether there were
 * any. The caller holds the lock. */
bool value_look(void);

#endif
