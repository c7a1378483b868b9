/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the texts of a link need and none of them defines. Needs no lock. */
#ifndef CPU_LINK_CHECK_H
#define CPU_LINK_CHECK_H

#include "link_merge.h"

/* A name that an input defines as machine code alone. */
struct link_machine {
	char *name;        /* owned */
	const char *input; /* borrowed; its name, for messages */
};

/* What a link was given. */
struct link_inputs {
	const struct link_text *texts; /* with what link_merge() set */
	size_t count;
	const struct link_machine *machine;
	size_t machine_count;
};

/*
 * Checks @merged, which link_merge() made of @inputs: each variable that it declares .extern is
 * defined, and so is each function that a kernel or the value of a variable leads to. Launches
 * from device code, which this device never runs, may be missing. GPURUN_NOT_FOUND in a driver's
 * words; GPURUN_NO_IMAGE for a name that an input has as machine code alone; GPURUN_NO_MEMORY.
 */
int link_check(struct bytes merged, const struct link_inputs *inputs, struct err *e);

#endif
