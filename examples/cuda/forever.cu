// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Never ends: for --timeout.
extern "C" __global__ void forever(volatile int *stop)
{
	while (!*stop)
		;
}
