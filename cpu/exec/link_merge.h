/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Several modules of PTX as one. Needs no lock. */
#ifndef CPU_LINK_MERGE_H
#define CPU_LINK_MERGE_H

#include <stddef.h>

#include "bytes.h"
#include "err.h"

/* The text of one translation unit. */
struct link_text {
	struct bytes text;
	const char *name; /* for messages */
	uint64_t begin;   /* set by link_merge(): where it begins in the linked text */
};

/*
 * Makes one module of @count texts: what one declares .extern another may define; what is private
 * to a text gets a unique name; of a .weak name defined several times all use one variable, there
 * is one kernel, and each text uses its own function. A private kernel of a name that an earlier
 * text uses for one gets another. Kernels without .maxnreg get one of @registers, if that is not 0.
 * *@out ends with NUL, which its size does not count; the caller frees its data. GPURUN_FORMAT for
 * malformed text, GPURUN_INVALID for a name that two texts define; GPURUN_NO_MEMORY.
 */
int link_merge(struct link_text *texts, size_t count, unsigned registers, struct bytes *out,
	       struct err *e);

#endif
