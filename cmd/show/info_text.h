/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The lines that --info prints of a kernel. */
#ifndef CMD_INFO_TEXT_H
#define CMD_INFO_TEXT_H

#include "plan.h"

/* Prints what the images say of @kernel: its name, then lines that are indented. */
void info_text(const struct plan *plan, const struct lookup_kernel *kernel);

#endif
