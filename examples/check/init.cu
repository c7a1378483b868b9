// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values that nobody has given, which `gpurun --check init` finds, and beside each
// kernel the same without the bug: NAME_bad and NAME_good.

#define KERNEL extern "C" __global__ void

// ---- A thread's own memory: arrays, frames of functions

// Only some elements of an array are written.

__device__ int fill(int most, int at)
{
	volatile int own[16];

	for (int i = 0; i < most; i++)
		own[i] = 10 * i;
	return own[at];
}

KERNEL array_bad(int *data, int most)
{
	data[threadIdx.x] = fill(most, threadIdx.x);
}

KERNEL array_good(int *data, int most)
{
	data[threadIdx.x] = fill(most, threadIdx.x % most);
}

// What a function has left on its stack is gone when it is called again.

__device__ __noinline__ int keep(int value, int at, bool first)
{
	volatile int kept[4];

	if (first)
		kept[at] = value;
	return kept[at];
}

KERNEL again_bad(int *data, int most)
{
	int value = keep(most, most % 4, true);

	data[threadIdx.x] = value + keep(most, most % 4, threadIdx.x < most);
}

KERNEL again_good(int *data, int most)
{
	int value = keep(most, most % 4, true);

	data[threadIdx.x] = value + keep(most, most % 4, true);
}
