/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What goes to the device: of each file the containers that launches need, in
 * the order in which they are first needed, and which image of each.
 */
#ifndef CMD_UNITS_H
#define CMD_UNITS_H

#include "plan.h"

/* Finds the unit that holds @kernel, or adds it; its index. GPURUN_NO_MEMORY. */
int units_find(struct plan *plan, const struct lookup_kernel *kernel, size_t *index,
	       struct err *e);

/* The same for the container that @image of @source is in. */
int units_find_container(struct plan *plan, const struct source *source, struct image *image,
			 size_t *index, struct err *e);

/*
 * Adds all of those --load files that no launch has made a unit of: to be
 * loaded is then what they are for. GPURUN_NO_MEMORY.
 */
int units_complete(struct plan *plan, struct err *e);

/* Tells whether @a is better than @b, which may be NULL, for @target: both run there. */
bool units_better(const struct image *a, const struct image *b,
		  const struct image_target *target);

/* Says that nothing of @source runs on a device like @target, and what there is. */
int units_no_image(const struct source *source, const struct image_target *target,
		   const char *device, struct err *e);

/*
 * Decides what of each unit goes to a device like @target; @device describes it in messages.
 * @out, which is empty before, is owned by the caller (bound_units_release) also after a failure,
 * and has then what was decided until there. GPURUN_NO_IMAGE lists what is in the file.
 */
int units_bind(const struct plan *plan, const struct image_target *target, const char *device,
	       struct bound_units *out, struct err *e);

/* The same for unit @index alone; @out is released by bound_unit_release(). */
int units_bind_one(const struct plan *plan, size_t index, const struct image_target *target,
		   const char *device, struct bound_unit *out, struct err *e);

/* What is released is empty afterwards. */
void bound_unit_release(struct bound_unit *bound);
void bound_units_release(struct bound_units *bound);

/* Says on standard error, under --verbose, which image of each file is taken: all are bound. */
void units_say(const struct plan *plan, const struct bound_units *bound);

/* Releases all units. */
void units_release(struct plan *plan);

#endif
