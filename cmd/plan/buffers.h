/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The buffers of a plan: declared by --buf and by arguments, used by name. */
#ifndef CMD_BUFFERS_H
#define CMD_BUFFERS_H

#include "plan.h"

struct texts;

/* Adds the buffers that @texts declare, those of all --buf. GPURUN_INVALID, GPURUN_IO. */
int buffers_collect(struct plan *plan, const struct texts *texts, struct err *e);

/*
 * Adds a buffer as @spec says; @name is a name, or "" with its @position among
 * the arguments of a launch. Files are read and contents computed at once.
 */
int buffer_declare(struct plan *plan, const char *name, size_t position,
		   const struct spec *spec, size_t *index, struct err *e);

/* Finds the buffer called @name. GPURUN_INVALID lists those there are. */
int buffer_find(const struct plan *plan, const char *name, size_t *index, struct err *e);

/*
 * Makes what @init says for the type and shape of @buffer, for comparison with
 * its contents: *@contents is owned by the caller.
 */
int buffer_want(struct plan *plan, const struct buffer *buffer, const struct init *init,
		uint8_t **contents, struct err *e);

void buffer_release(struct buffer *buffer);

#endif
