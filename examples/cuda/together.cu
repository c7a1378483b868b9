// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads and blocks that wait for each other: each kernel ends only if those that
// are waited for run as well, whatever number of processors there is.
#include <cooperative_groups.h>

// Every thread of the grid adds 1 under a lock, those of one warp after each other.
// lock points to a zero.
extern "C" __global__ void count_locked(unsigned *lock, volatile unsigned *count)
{
	while (atomicCAS(lock, 0, 1))
		;
	__threadfence();
	*count = *count + 1;
	__threadfence();
	atomicExch(lock, 0);
}

// Block 1 hands n numbers to block 0, through a box for one of them. box points to two
// zeros: the number, and whether there is one.
extern "C" __global__ void hand_over(volatile unsigned *box, unsigned *sum, unsigned n)
{
	if (threadIdx.x)
		return;
	for (unsigned i = 1; i <= n; i++) {
		bool giver = blockIdx.x;

		while (box[1] == giver)
			;
		__threadfence();
		if (giver)
			box[0] = i;
		else
			*sum += box[0];
		__threadfence();
		box[1] = giver;
	}
}

// The whole grid moves its numbers on by one place, n times; every thread reads what
// another one wrote before the barrier. Launched with --cooperative.
extern "C" __global__ void rotate(unsigned *x, unsigned n)
{
	cooperative_groups::grid_group grid = cooperative_groups::this_grid();
	unsigned i = grid.thread_rank(), next = (i + 1) % grid.size();

	while (n--) {
		unsigned value = x[next];

		grid.sync();
		x[i] = value;
		grid.sync();
	}
}
