/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Grid, block and shared memory of a launch. */
#ifndef CMD_GEOMETRY_H
#define CMD_GEOMETRY_H

#include "plan.h"

/*
 * Reads the geometry in @own, or @defaults where @own has none, into @launch,
 * and holds it against what the kernel requires. GPURUN_INVALID for what is
 * written wrong, GPURUN_LAUNCH for what the kernel excludes.
 */
int geometry_plan(struct launch *launch, const struct launch_options *own,
		  const struct launch_options *defaults, struct err *e);

/* Prints "8x1x1" to @text. */
const char *geometry_format(const unsigned dims[3], char text[40]);

#endif
