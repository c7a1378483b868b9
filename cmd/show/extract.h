/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* --extract: the images of a file as files of their own. */
#ifndef CMD_EXTRACT_H
#define CMD_EXTRACT_H

#include "plan.h"

/*
 * Writes the images that are wanted to the folder that --extract names, which is made if there
 * is none, and reports each file. What cannot be unpacked is warned of, and the others are
 * written before GPURUN_FORMAT is returned. GPURUN_IO, before anything is written, where a file is
 * there already and --force is not given; and when one cannot be written, which is then not there.
 */
int extract_write(const struct plan *plan, struct err *e);

#endif
