/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The actions that write a buffer or a variable: --set, --fill, --copy. What they write is
 * computed here; it is written at their place in the order, after all that may use the buffer.
 */
#ifndef CMD_WRITES_H
#define CMD_WRITES_H

#include "plan.h"

int writes_set(struct plan *plan, struct step *step, struct err *e);
int writes_fill(struct plan *plan, struct step *step, struct err *e);
int writes_copy(struct plan *plan, struct step *step, struct err *e);

#endif
