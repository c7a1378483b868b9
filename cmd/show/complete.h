/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names for the completion of shells: --list=complete:kernels and --list=complete:vars. */
#ifndef CMD_COMPLETE_H
#define CMD_COMPLETE_H

#include "plan.h"

/*
 * Prints what --launch takes for each kernel, one a line: its base name where no other kernel of
 * the file has that, else its symbol. GPURUN_NO_MEMORY; what lookup_add() fails with.
 */
int complete_kernels(const struct plan *plan, struct err *e);

/* Prints what --get and --set take for each variable, one a line: as in C++, or its symbol. */
void complete_variables(const struct plan *plan);

#endif
