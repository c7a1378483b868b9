/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* --help[=TOPIC] and --version. */
#ifndef CMD_HELP_H
#define CMD_HELP_H

#include "err.h"

/* Prints the help on @topic, NULL: the first page. GPURUN_INVALID: no such topic. */
int help_print(const char *topic, struct err *e);

void help_version(void);

#endif
