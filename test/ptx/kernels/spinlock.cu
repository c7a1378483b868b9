// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A lock of one word that every thread takes in turn.

__device__ unsigned lock, plain;

extern "C" __global__ void spinlock(unsigned *total)
{
	bool done = false;

	while (!done)
		if (atomicCAS(&lock, 0, 1) == 0) {
			__threadfence();
			*(volatile unsigned *)&plain += 1;
			*(volatile unsigned *)total = *(volatile unsigned *)&plain;
			__threadfence();
			atomicExch(&lock, 0);
			done = true;
		}
}
