/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What an image tells of the module that it becomes, read once when it is loaded. */
#ifndef RUNTIME_IMAGE_FACTS_H
#define RUNTIME_IMAGE_FACTS_H

#include "bytes.h"
#include "device.h"

struct image_facts {
	bool variables; /* it defines some, or that could not be found out */
};

/*
 * Reads the facts about @image as @device may load it: what holds for one of
 * its parts that the driver could choose holds. GPURUN_NO_MEMORY.
 */
int image_facts_read(const struct device *device, struct bytes image,
		     struct image_facts *facts, struct err *e);

#endif
