/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* gpurun_init() and gpurun_shutdown(). */
#ifndef RUNTIME_INIT_H
#define RUNTIME_INIT_H

#include "err.h"

/* Before and after the gate: the choice of a driver, and the release of what is left. */
int runtime_init(const char *device, struct err *e);
int runtime_shutdown(struct err *e);

#endif
