// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cassert>

// Fails in thread 3.
extern "C" __global__ void check()
{
	assert(threadIdx.x != 3);
}
