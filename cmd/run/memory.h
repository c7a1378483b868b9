/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The buffers and variables of a run on its device. */
#ifndef CMD_MEMORY_H
#define CMD_MEMORY_H

#include "run.h"

/* Allocates all buffers, unless the run uses those of another one, finds the variables and writes
 * what buffers begin with. The modules are loaded. */
int memory_place(struct run *run, struct err *e);

/* Makes the values that the launch @step passes, with the addresses filled in. */
int memory_resolve(struct run *run, size_t step, struct err *e);

/* Notes what the launch @step, just enqueued, may use: what it has the address of, and any
 * variable, of its module or by an address. */
void memory_touch(struct run *run, size_t step);

/*
 * Waits for whatever touched the buffer with @index, then copies it to the
 * host: *@contents is owned by the caller.
 */
int memory_download(struct run *run, size_t index, uint8_t **contents, struct err *e);

/* Write what the --set or --fill, or the --copy, @step says, once nothing uses the place any
 * more. */
int memory_write(struct run *run, size_t step, struct err *e);
int memory_copy(struct run *run, size_t step, struct err *e);

#endif
