/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* --devices: what there is to run on. */
#ifndef CMD_DEVICES_H
#define CMD_DEVICES_H

#include "err.h"
#include "output_options.h"

/*
 * Prints the GPUs, if any, and the CPU device, with the keys of @device if that is a selector of
 * it; @device may be NULL. Why there is no GPU is a note,
 * and no failure. GPURUN_DRIVER when a driver is there but fails.
 */
int devices_print(const char *device, const struct output_options *output, struct err *e);

#endif
