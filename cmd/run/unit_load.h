/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Handing a unit of a plan to the driver, and what helps where it refuses. */
#ifndef CMD_UNIT_LOAD_H
#define CMD_UNIT_LOAD_H

#include "gpurun.h"
#include "plan.h"

/* Loads @unit, which is bound, or lets the driver link its parts. Fails as gpurun_module_load()
 * and gpurun_module_link() do. */
int unit_load(struct gpurun_device device, const struct unit *unit, struct gpurun_module *module,
	      struct err *e);

#endif
