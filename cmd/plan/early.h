/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A --print that comes too early: before the launches that it is to show. */
#ifndef CMD_EARLY_H
#define CMD_EARLY_H

#include "plan.h"

/*
 * Notes on standard error each buffer of @plan that is printed before anything has written it
 * and not looked at after the launch that takes it.
 */
void early_note(const struct plan *plan);

#endif
