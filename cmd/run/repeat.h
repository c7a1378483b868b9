/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Carrying out the steps of a run several times. */
#ifndef CMD_REPEAT_H
#define CMD_REPEAT_H

#include "execute.h"

/*
 * The work of --repeat N: N times all steps, each time from the same memory. It ends after the
 * first time that has a mismatch, and says which that was.
 */
run_work repeat_steps;

#endif
