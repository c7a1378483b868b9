// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bugs with the member masks of warp functions that `gpurun --check sync` finds, each
// beside the same kernel without it: NAME_bad and NAME_good. A lane that has exited may
// stand in a mask, and is not waited for; what it would have brought is not there.

#define KERNEL extern "C" __global__ void

static constexpr unsigned full = 0xffffffff;

// ---- A member that is elsewhere, and never arrives

KERNEL redux_bad(unsigned *data)
{
	if (threadIdx.x < 31)
		data[threadIdx.x] = __reduce_add_sync(full, data[threadIdx.x]);
	else
		__syncwarp();
}

KERNEL redux_good(unsigned *data)
{
	unsigned sum = __reduce_add_sync(full, data[threadIdx.x]);

	if (threadIdx.x < 31)
		data[threadIdx.x] = sum;
}

KERNEL match_bad(unsigned *data)
{
	if (threadIdx.x < 31)
		data[threadIdx.x] = __match_any_sync(full, data[threadIdx.x]);
	else
		__syncwarp();
}

KERNEL match_good(unsigned *data)
{
	if (threadIdx.x < 31)
		data[threadIdx.x] = __match_any_sync(full >> 1, data[threadIdx.x]);
}

KERNEL shift_bad(unsigned *data)
{
	if (threadIdx.x)
		data[threadIdx.x] = __shfl_up_sync(full, data[threadIdx.x], 1);
	else
		__syncwarp();
}

KERNEL shift_good(unsigned *data)
{
	unsigned below = __shfl_up_sync(full, data[threadIdx.x], 1);

	if (threadIdx.x)
		data[threadIdx.x] = below;
}

__device__ unsigned elect(unsigned members)
{
	unsigned elected;

	asm volatile("{\n\t"
		     ".reg .pred is;\n\t"
		     "elect.sync _|is, %1;\n\t"
		     "selp.u32 %0, 1, 0, is;\n\t"
		     "}" : "=r"(elected) : "r"(members));
	return elected;
}

KERNEL elect_bad(unsigned *data)
{
	if (threadIdx.x < 16)
		data[threadIdx.x] = elect(full);
	else
		__syncwarp();
}

KERNEL elect_good(unsigned *data)
{
	if (threadIdx.x < 16)
		data[threadIdx.x] = elect(full >> 16);
}

KERNEL meet_bad(unsigned *data)
{
	if (threadIdx.x < 16)
		__syncwarp();
	else
		__syncwarp(full << 16);
	if (threadIdx.x >= 16)
		__any_sync(full, data[threadIdx.x]);
	data[threadIdx.x] = 1;
}

KERNEL meet_good(unsigned *data)
{
	if (threadIdx.x < 16)
		__syncwarp(full >> 16);
	else
		__syncwarp(full << 16);
	__any_sync(full, data[threadIdx.x]);
	data[threadIdx.x] = 1;
}

// ---- A lane that is none of the members that it names

KERNEL sum_bad(unsigned *data)
{
	data[threadIdx.x] = __reduce_add_sync(full >> 16, data[threadIdx.x]);
}

KERNEL sum_good(unsigned *data)
{
	unsigned half = threadIdx.x < 16 ? full >> 16 : full << 16;

	data[threadIdx.x] = __reduce_add_sync(half, data[threadIdx.x]);
}

KERNEL leader_bad(unsigned *data)
{
	data[threadIdx.x] = elect(full >> 16);
}

KERNEL leader_good(unsigned *data)
{
	data[threadIdx.x] = elect(full);
}

KERNEL wait_bad(unsigned *data)
{
	__syncwarp(1u << (threadIdx.x ^ 1));
	data[threadIdx.x] = 1;
}

KERNEL wait_good(unsigned *data)
{
	__syncwarp(1u << (threadIdx.x ^ 1) | 1u << threadIdx.x);
	data[threadIdx.x] = 1;
}

// ---- The value of a lane that has exited, or was not there when the mask was taken

KERNEL gone_bad(unsigned *data)
{
	if (threadIdx.x >= 16)
		return;
	data[threadIdx.x] += __shfl_xor_sync(full, data[threadIdx.x], 16);
}

KERNEL gone_good(unsigned *data)
{
	if (threadIdx.x >= 16)
		return;
	data[threadIdx.x] += __reduce_add_sync(full, data[threadIdx.x]);
}

KERNEL active_bad(unsigned *data)
{
	if (threadIdx.x % 2) {
		unsigned here = __activemask();

		data[threadIdx.x] += __shfl_xor_sync(here, data[threadIdx.x], 1);
	}
}

KERNEL active_good(unsigned *data)
{
	if (threadIdx.x % 2) {
		unsigned here = __activemask();

		data[threadIdx.x] += __reduce_add_sync(here, data[threadIdx.x]);
	}
}
