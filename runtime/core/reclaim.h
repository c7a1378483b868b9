/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Memory for an allocation that has failed. */
#ifndef RUNTIME_RECLAIM_H
#define RUNTIME_RECLAIM_H

#include <stdbool.h>

struct device;

/*
 * Releases the memory that @device keeps for later: freed blocks and unloaded modules. False when
 * there was none. In code/module.c, which knows both: allocations of every room ask here.
 */
bool reclaim(struct device *device);

#endif
