/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which options go with which mode: the column "modes" of options.def. */
#ifndef CMD_MODES_H
#define CMD_MODES_H

#include "err.h"

struct options;

/* Refuses options, or a file, beside a mode that they mean nothing to. GPURUN_INVALID. */
int modes_check(const struct options *options, struct err *e);

#endif
