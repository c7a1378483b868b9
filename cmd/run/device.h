/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The device of a run. */
#ifndef CMD_DEVICE_H
#define CMD_DEVICE_H

#include "image.h"
#include "plan.h"

struct device {
	struct gpurun_device handle;
	struct gpurun_device_info info;
};

/*
 * Initialises the library for the selector of @plan and describes the device it chose.
 * Under "auto" a note says when that is the CPU device. GPURUN_NO_DEVICE and
 * GPURUN_INVALID, which name the environment variable of a wrong selector; GPURUN_DRIVER.
 */
int device_open(const struct plan *plan, struct device *device, struct err *e);

/*
 * Waits with --lock until no other run is on @device, see device_lock(), else does nothing.
 * @inherit: programs that this process becomes or starts are on it as well. GPURUN_IO.
 */
int device_take_turn(const struct plan *plan, const struct device *device, bool inherit,
		     struct err *e);

/* What @device can run, for the choice of images. */
struct image_target device_target(const struct device *device);

/* "the CPU device" or "sm_90 (NVIDIA H100)", in @text. */
const char *device_describe(const struct device *device, char text[160]);

#endif
