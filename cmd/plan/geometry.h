/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Grid, block and shared memory of a launch. */
#ifndef CMD_GEOMETRY_H
#define CMD_GEOMETRY_H

#include "json.h"
#include "plan.h"

struct launch_options;

/*
 * Reads the geometry in @own, or in @defaults where @own has none, into @launch,
 * and compares it with what the kernel requires. The buffers of @plan are declared.
 * GPURUN_INVALID for what is written wrong, GPURUN_LAUNCH for what the kernel excludes.
 */
int geometry_plan(const struct plan *plan, struct launch *launch,
		  const struct launch_options *own, const struct launch_options *defaults,
		  struct err *e);

/*
 * Reads of @options block and shared memory alone into @launch, whose kernel is known, for what is
 * asked about blocks without a grid. --block auto is as if it were not given. Fails likewise.
 */
int geometry_block(struct launch *launch, const struct launch_options *options, struct err *e);

/*
 * Settles in @out what --block auto left open in @launch: blocks of @block threads, or as many
 * whole warps as there are threads to run. GPURUN_LAUNCH for what the kernel excludes.
 */
int geometry_settle(const struct launch *launch, unsigned block, struct extent *out,
		    struct err *e);

/* Prints "8x1x1" to @text; "auto" for what is open. */
const char *geometry_format(const unsigned dims[3], char text[40]);

/* Writes the members of a launch that say how large it is; its @extent may be open or settled. */
void geometry_report(struct json *json, const struct launch *launch, const struct extent *extent);

#endif
