/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Carrying out the steps of a plan. */
#ifndef CMD_FOLLOW_H
#define CMD_FOLLOW_H

#include "run.h"

/*
 * Carries out step @index, with the events that it waits for and records. What comes before the
 * first step is done: see execute.h. A mismatch is no failure; errors of the driver come through.
 */
int follow(struct run *run, size_t index, struct err *e);

/* Adds to @e, which is set, which launch that of step @index is. Returns the status of @e. */
int follow_launch_error(const struct run *run, size_t index, struct err *e);

#endif
