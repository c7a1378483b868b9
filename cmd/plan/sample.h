/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A command line to begin with, for a kernel that was launched with too few arguments. */
#ifndef CMD_SAMPLE_H
#define CMD_SAMPLE_H

#include "plan.h"

/*
 * Prints "gpurun k.fatbin --launch vadd --threads 1Ki -b 256 -a a=f32:1Ki ...", for a shell, to
 * @text of @size bytes: an argument for each parameter of @kernel, of which images often have but
 * the size: what may be a pointer is taken for one, to f32. From --launch on where more files than
 * one are named. False, with a part of it, when it does not fit.
 */
bool sample_line(const struct plan *plan, const struct lookup_kernel *kernel, char *text,
		 size_t size);

#endif
