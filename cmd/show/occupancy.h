/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How much of a device a kernel can fill, for --info. */
#ifndef CMD_OCCUPANCY_H
#define CMD_OCCUPANCY_H

#include "device.h"
#include "plan.h"

struct launch_options;

/* A device and the module of one container, which is kept for the next kernel of it. */
struct occupancy {
	struct device device;
	const struct launch_options *options; /* with --block and --shared; borrowed */
	const struct source *source; /* whose; NULL: no container yet */
	uint32_t container;
	struct gpurun_module module;
	struct err failure; /* why there is no module; code 0 when there is one */
};

/* What a device answers about a kernel. */
struct occupied {
	unsigned block;      /* threads: of --block, else as the kernel has it, else 256 */
	unsigned shared;     /* bytes of dynamic shared memory of a block: of --shared, or 0 */
	unsigned blocks;     /* such blocks that a multiprocessor runs at once */
	unsigned best_block; /* threads of blocks with which most threads run at once */
};

/* Refuses a --block or --shared of --info that is written wrong for any kernel: GPURUN_INVALID. */
int occupancy_check(const struct launch_options *options, struct err *e);

/*
 * Asks the device, which is open, about @kernel, with --block and --shared. GPURUN_LAUNCH for what
 * the kernel or the device excludes; else fails as loading a module, GPURUN_NO_IMAGE for
 * one, and finding a kernel in it do. A failure to load is reported for each kernel of a container.
 */
int occupancy_ask(struct occupancy *occupancy, struct plan *plan,
		  const struct lookup_kernel *kernel, struct occupied *out, struct err *e);

#endif
