/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Instructions of an entry whose results are the same in all CTAs of a launch, in
 * invariant slots (uniform.h): they follow from parameters, constants, and the sizes
 * of the grid. They run first, and a warp that reuses the row file of another one of the
 * launch finds their results in it.
 */
#ifndef CPU_HOIST_H
#define CPU_HOIST_H

#include "flow.h"

/*
 * Finds those instructions of @body, whose registers have @homes. *@hoisted has 1 for each of
 * them, else 0; owned by the caller (free). GPURUN_NO_MEMORY.
 */
int hoist_find(const struct body *body, const struct liveness *liveness, const uint8_t *homes,
	       uint8_t **hoisted, struct err *e);

#endif
