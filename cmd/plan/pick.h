/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* --image: which images of a file may be used. */
#ifndef CMD_PICK_H
#define CMD_PICK_H

#include "plan.h"

/*
 * Sets source->wanted by @pick: an image's number as --list shows it, sm_90, or
 * ptx. GPURUN_INVALID; GPURUN_NO_IMAGE lists what there is.
 */
int pick_images(struct source *source, const char *pick, struct err *e);

#endif
