// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two kernels that wait for each other: they end only if two streams really
// run at the same time. gate points to two zeros.
extern "C" __global__ void ping(volatile int *gate)
{
	gate[0] = 1;
	while (!gate[1])
		;
}

extern "C" __global__ void pong(volatile int *gate)
{
	while (!gate[0])
		;
	gate[1] = 1;
}
