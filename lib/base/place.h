/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The folder of the shared library that this is linked into. */
#ifndef LIB_PLACE_H
#define LIB_PLACE_H

#include <stddef.h>

#include "err.h"

/*
 * Writes the folder of the library's file, absolute and without a slash at its end, to
 * @path. A relative LD_LIBRARY_PATH and a later chdir() make no difference.
 * GPURUN_NO_DEVICE when it cannot be found out, or does not fit.
 */
int place_of_library(char *path, size_t size, struct err *e);

#endif
