/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The length of an image, as its headers say. */
#ifndef LIB_IMAGE_SIZE_H
#define LIB_IMAGE_SIZE_H

#include "bytes.h"
#include "err.h"

/* The size of an image of which only the beginning is known. */
#define IMAGE_SIZE_UNKNOWN PTRDIFF_MAX

/*
 * Reads from the headers of @image how many bytes it has: a fatbin container, an
 * offload binary and a cubin say so, anything else ends at a NUL. GPURUN_FORMAT when it is
 * empty, damaged, or has more bytes than @image: a driver, which does not get the
 * size, would read past the end.
 */
int image_size(struct bytes image, size_t *size, struct err *e);

#endif
