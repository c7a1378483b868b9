/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The part of an image that a driver is given: it does not know every container. */
#ifndef RUNTIME_IMAGE_PART_H
#define RUNTIME_IMAGE_PART_H

#include "bytes.h"
#include "device.h"

/*
 * Copies to *@part what @device runs best of @image, when that is an offload
 * binary, with a NUL behind it; the caller owns it. NULL for anything else: the
 * driver takes it as it is. GPURUN_NO_IMAGE, GPURUN_FORMAT, GPURUN_NO_MEMORY.
 */
int image_part(const struct device *device, struct bytes image, uint8_t **part,
	       struct err *e);

#endif
