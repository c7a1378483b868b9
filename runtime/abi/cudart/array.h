/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Arrays: so far, the description of what one is made of. */
#ifndef CUDART_ARRAY_H
#define CUDART_ARRAY_H

#include "cudart.h"

#pragma GCC visibility push(default)
struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
						   enum cudaChannelFormatKind f);
#pragma GCC visibility pop

#endif
