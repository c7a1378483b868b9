/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What goes to the driver's linker and is one unit: all that FILE and the files of --link hold
 * for a device, or what a file holds that is to be linked (nvcc -rdc=true, GCC's parts).
 */
#ifndef CMD_JOIN_H
#define CMD_JOIN_H

#include "plan.h"

/* Tells whether @source is one of the files that are joined. */
static inline bool join_has(const struct plan *plan, const struct source *source)
{
	return plan->joins && !*source->name;
}

/* Tells whether container @a of @first and container @b of @second are one unit. */
static inline bool join_same(const struct plan *plan, const struct source *first, uint32_t a,
			     const struct source *second, uint32_t b)
{
	if (join_has(plan, first) && join_has(plan, second))
		return true;
	return first == second && a == b;
}

/*
 * Adds the parts of what is joined to @out, which has none: of each container of each file the
 * image that a device like @target runs best, or the container, from which a driver chooses.
 * @device describes it. GPURUN_NO_IMAGE for a file without any, GPURUN_NO_MEMORY.
 */
int join_bind(const struct plan *plan, const struct image_target *target, const char *device,
	      struct bound_unit *out, struct err *e);

/*
 * The same for @unit, which is one container of one file: its images that are to be linked. No
 * parts, and no failure, when there are none that a device like @target can run.
 */
int join_bind_container(const struct unit *unit, const struct image_target *target,
			struct bound_unit *out, struct err *e);

/* Releases the parts of @bound; takes one without any. */
void join_release(struct bound_unit *bound);

#endif
