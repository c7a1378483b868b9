/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Following a plan on a device. */
#ifndef CMD_EXECUTE_H
#define CMD_EXECUTE_H

#include "run.h"

/* Carries out the steps of @run, once or more often, and waits for all of them. */
typedef int run_work(struct run *run, struct err *e);

/*
 * Opens the device, loads, uploads, does @work, writes the outputs and releases all but the
 * modules; these, and all after a failure, are left to the library's exit hook, whose wait is
 * bounded.
 * A mismatch is reported on stderr, counted and no failure, as are findings of the
 * checker. Errors of device and driver come through with their status. What the
 * report shows of @run is changed between halt_lock() and halt_unlock().
 */
int execute(struct run *run, run_work *work, struct err *e);

/* Loads what @run, which another run on the device has opened, needs; uses the memory of that. */
int execute_beside(struct run *run, const struct run *other, struct err *e);

/* The work of most runs: each step, one time; and what the launches took. */
run_work execute_once;

#endif
