/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* --info: all that is known of kernels. */
#ifndef CMD_INFO_H
#define CMD_INFO_H

#include "plan.h"

/*
 * Prints what the files of @plan say of the kernel that --info names, which is found as --launch
 * finds it, or of all; with --device also what that device answers. What is whole in a damaged
 * file is printed before GPURUN_FORMAT is returned. GPURUN_NOT_FOUND, and GPURUN_NO_DEVICE and
 * what else opening a device can fail with.
 */
int info_print(struct plan *plan, struct err *e);

#endif
