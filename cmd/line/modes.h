/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which options go with which mode: the column "modes" of options.def. */
#ifndef CMD_MODES_H
#define CMD_MODES_H

#include <stdbool.h>

#include "options.h"

/* Tells whether @option may be given besides an option of @mode, or is that one. */
bool modes_allow(const struct option *option, enum mode mode);

/* Refuses options, or a file, beside a mode that they mean nothing to. GPURUN_INVALID. */
int modes_check(const struct options *options, struct err *e);

#endif
