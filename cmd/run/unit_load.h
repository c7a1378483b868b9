/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Handing what was bound of a unit to the driver, and what helps where it refuses. */
#ifndef CMD_UNIT_LOAD_H
#define CMD_UNIT_LOAD_H

#include "gpurun.h"
#include "plan.h"

/* Loads @bound, of a unit of @source, or lets the driver link its parts. Fails as
 * gpurun_module_load() and gpurun_module_link() do. */
int unit_load(struct gpurun_device device, const struct source *source,
	      const struct bound_unit *bound, struct gpurun_module *module, struct err *e);

#endif
