/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The part of an image that is passed to a driver, which does not know every container. */
#ifndef RUNTIME_IMAGE_PART_H
#define RUNTIME_IMAGE_PART_H

#include "bytes.h"
#include "device.h"

/*
 * Copies @image to *@copy, which the caller owns, with a few zeros after it. A driver does
 * not get the size of an image: it compares the first words with numbers that it knows,
 * and reads text up to a NUL. GPURUN_NO_MEMORY.
 */
int image_copy(struct bytes image, uint8_t **copy, struct err *e);

/*
 * Copies to *@part what @device runs best of @image, when that is an offload
 * binary, as image_copy() does. NULL for anything else: the driver reads it
 * unchanged. GPURUN_NO_IMAGE, GPURUN_FORMAT, GPURUN_NO_MEMORY.
 */
int image_part(const struct device *device, struct bytes image, uint8_t **part,
	       struct err *e);

#endif
