/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Launches: checked against kernel and device, then enqueued. Never waits. */
#ifndef RUNTIME_LAUNCH_H
#define RUNTIME_LAUNCH_H

#include "err.h"

int launch(struct gpurun_kernel kernel, const struct gpurun_launch *launch,
	   void *const *args, struct err *e);

#endif
