/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* --dry-run: the plan itself, with every default that was applied. */
#ifndef CMD_DRY_RUN_H
#define CMD_DRY_RUN_H

#include "plan.h"

/* Prints @plan as text, or as JSON where asked for. GPURUN_IO, GPURUN_NO_MEMORY. */
int dry_run_print(const struct plan *plan, struct err *e);

/* Says on standard error, under --verbose, the image, the seed and the buffers of @plan. */
void dry_run_verbose(const struct plan *plan);

#endif
