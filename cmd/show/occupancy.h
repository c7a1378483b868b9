/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How much of a device a kernel can fill, for --info. */
#ifndef CMD_OCCUPANCY_H
#define CMD_OCCUPANCY_H

#include "device.h"
#include "plan.h"

/* A device and the module of one container, which is kept for the next kernel of it. */
struct occupancy {
	struct device device;
	const struct source *source; /* whose; NULL: no container yet */
	uint32_t container;
	struct gpurun_module module;
	struct err failure; /* why there is no module; code 0 when there is one */
};

/* What a device answers about a kernel without dynamic shared memory. */
struct occupied {
	unsigned block;      /* threads: as the kernel requires, at most has, or 256 */
	unsigned blocks;     /* such blocks that a multiprocessor runs at once */
	unsigned best_block; /* threads of blocks with which most threads run at once */
};

/*
 * Asks the device, which is open, about @kernel. Fails as loading a module, GPURUN_NO_IMAGE for
 * one, and finding a kernel in it do. A failure to load is reported for each kernel of a container.
 */
int occupancy_ask(struct occupancy *occupancy, struct plan *plan,
		  const struct lookup_kernel *kernel, struct occupied *out, struct err *e);

#endif
