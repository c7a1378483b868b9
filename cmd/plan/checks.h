/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The actions that look at a buffer: --expect, --out, --print, --get. */
#ifndef CMD_CHECKS_H
#define CMD_CHECKS_H

#include "plan.h"

int checks_expect(struct plan *plan, struct step *step, struct err *e);
int checks_out(struct plan *plan, struct step *step, struct err *e);
int checks_print(struct plan *plan, struct step *step, struct err *e);
int checks_get(struct plan *plan, struct step *step, struct err *e);

#endif
