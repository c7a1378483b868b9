/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Following a plan on a device. */
#ifndef CMD_EXECUTE_H
#define CMD_EXECUTE_H

#include "run.h"

/*
 * Opens the device, loads, uploads, follows the steps, writes the outputs and
 * releases all but the modules; these, and all after a failure, are left to the
 * library's exit hook, whose wait is bounded.
 * A mismatch is reported on stderr, counted and no failure, as are findings of the
 * checker. Errors of device and driver come through with their status. What the
 * report shows of @run is changed between halt_lock() and halt_unlock().
 */
int execute(struct run *run, struct err *e);

#endif
