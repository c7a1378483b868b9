/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How long an image is of which only the beginning is known. */
#ifndef RUNTIME_IMAGE_SIZE_H
#define RUNTIME_IMAGE_SIZE_H

#include <stddef.h>
#include <stdint.h>

#include "err.h"

/*
 * Reads from the headers of @image how many bytes it has: a fatbin container
 * and a cubin say so, PTX ends at its NUL. The caller vouches for the bytes.
 * GPURUN_FORMAT when it is none of these.
 */
int image_size(const void *image, size_t *size, struct err *e);

#endif
