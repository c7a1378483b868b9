/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* --list: the kernels of a file. */
#ifndef CMD_LIST_H
#define CMD_LIST_H

#include "plan.h"

/*
 * Prints what plan->options asks for. What is whole in a damaged file is
 * printed before GPURUN_FORMAT is returned.
 */
int list_print(const struct plan *plan, struct err *e);

#endif
