/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names by which PTX texts of several translation units use each other's definitions. */
#ifndef LIB_PTX_NEEDS_H
#define LIB_PTX_NEEDS_H

#include "ptx.h"

struct ptx_names {
	struct ptx_name *at; /* owned; each borrowed from its text */
	size_t count;
};

/* Accepts zeroed names. */
void ptx_names_release(struct ptx_names *names);

/* Adds what others may use of @ptx: its functions, and its variables in global and constant
 * memory, that are not private. GPURUN_NO_MEMORY. */
int ptx_defines(const struct ptx *ptx, struct ptx_names *names, struct err *e);

/*
 * Adds what @ptx, which is @text, declares .extern, and uses in a body or a value: functions but
 * those that drivers have themselves, and variables in global and constant memory. Its time is in
 * proportion to @text. GPURUN_NO_MEMORY.
 */
int ptx_needs(const struct ptx *ptx, struct bytes text, struct ptx_names *names, struct err *e);

/* The first of @needed that is not among @defined, which this sorts; NULL: all are. */
const struct ptx_name *ptx_first_missing(const struct ptx_names *needed,
					 struct ptx_names *defined);

#endif
