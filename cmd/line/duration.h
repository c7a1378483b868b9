/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How long something may take, as people write it. */
#ifndef CMD_DURATION_H
#define CMD_DURATION_H

#include <stdint.h>

#include "err.h"

/* Reads 90, 500ms, 1.5s, 5m or 1h, the value of @option, in nanoseconds. GPURUN_INVALID. */
int duration_parse(const char *option, const char *text, uint64_t *nanoseconds, struct err *e);

#endif
