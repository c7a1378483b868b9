/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Why a device cannot load an image: what is in it, and what the device is. */
#ifndef RUNTIME_DIAGNOSE_H
#define RUNTIME_DIAGNOSE_H

#include "bytes.h"
#include "device.h"
#include "image.h"

/* Returns what @device can run. */
struct image_target diagnose_target(const struct device *device);

/*
 * Chooses what @device runs best of @file: GPURUN_NO_IMAGE, with what there is, when it
 * can run nothing. An image without kernels is better than none: it may have variables.
 */
int diagnose_choose(const struct device *device, struct image_file *file,
		    struct image **chosen, struct err *e);

/*
 * Tells whether @image holds code that @device can run: 0, GPURUN_NO_IMAGE with
 * what there is, or GPURUN_FORMAT with where it is damaged.
 */
int diagnose_image(const struct device *device, struct bytes image, struct err *e);

/*
 * Adds to the failure of a load in @e, as the driver reported it, what the image
 * shows about it; @log is the JIT's. Returns the status, which may be another.
 */
int diagnose_load(const struct device *device, struct bytes image, const char *log,
		  struct err *e);

/*
 * The same for a link, where the images alone explain nothing: when the linker's @log
 * says what is wrong, it is GPURUN_NO_IMAGE with the first line of that.
 */
int diagnose_link(const char *log, struct err *e);

/*
 * Writes why the driver loaded an image but cannot run its kernel @name, as the
 * CPU device does where an instruction is not executed: @e has the failed call,
 * @log the driver's report. Returns GPURUN_NO_IMAGE.
 */
int diagnose_kernel(const char *name, const char *log, struct err *e);

/*
 * Writes that @image, which may be of no bytes, has no kernel @name, with the one as a hint that
 * was probably meant. Returns GPURUN_NOT_FOUND.
 */
int diagnose_name(const struct device *device, struct bytes image, const char *name,
		  struct err *e);

#endif
