/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "array.h"

struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
						   enum cudaChannelFormatKind f)
{
	return (struct cudaChannelFormatDesc){ x, y, z, w, f };
}
