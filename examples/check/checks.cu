// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One kernel for each kind of bug that `gpurun --check` finds, and beside it
// the same kernel without the bug: NAME_bad and NAME_good.

#define KERNEL extern "C" __global__ void

// ---- mem: an address outside of every allocation

KERNEL bounds_bad(int *data, int n)
{
	data[threadIdx.x] = n;
}

KERNEL bounds_good(int *data, int n)
{
	if (threadIdx.x < n)
		data[threadIdx.x] = n;
}

KERNEL alignment_bad(char *data)
{
	*(int *)(data + threadIdx.x) = 1;
}

KERNEL alignment_good(char *data)
{
	*(int *)(data + 4 * threadIdx.x) = 1;
}

// Shared memory of a block, a constant, a parameter, and an array of a thread's own have ends
// as well.

KERNEL tile_bad(int *data)
{
	__shared__ int tile[64];

	tile[threadIdx.x + 1] = data[threadIdx.x];
	__syncthreads();
	data[threadIdx.x] = tile[threadIdx.x];
}

KERNEL tile_good(int *data)
{
	__shared__ int tile[64];

	tile[(threadIdx.x + 1) % 64] = data[threadIdx.x];
	__syncthreads();
	data[threadIdx.x] = tile[threadIdx.x];
}

__constant__ int weights[16] = { 1, 2, 3, 4 };

KERNEL weights_bad(int *data, int from)
{
	data[threadIdx.x] = weights[from + threadIdx.x];
}

KERNEL weights_good(int *data, int from)
{
	data[threadIdx.x] = weights[(from + threadIdx.x) % 16];
}

struct list {
	int values[4];
};

KERNEL param_bad(int *data, const __grid_constant__ list list, int from)
{
	data[threadIdx.x] = list.values[from + threadIdx.x];
}

KERNEL param_good(int *data, const __grid_constant__ list list, int from)
{
	data[threadIdx.x] = list.values[(from + threadIdx.x) % 4];
}

__device__ int pick(int value, int at)
{
	volatile int own[16];

	for (int i = 0; i < 16; i++)
		own[i] = value + i;
	return own[at];
}

KERNEL own_bad(int *data, int at)
{
	data[threadIdx.x] = pick(threadIdx.x, at);
}

KERNEL own_good(int *data, int at)
{
	data[threadIdx.x] = pick(threadIdx.x, at % 16);
}

KERNEL words_bad(int *data)
{
	__shared__ volatile int words[33];

	*(volatile int *)((volatile char *)words + 4 * threadIdx.x + 2) = data[threadIdx.x];
}

KERNEL words_good(int *data)
{
	__shared__ volatile int words[33];

	*(volatile int *)((volatile char *)words + 4 * threadIdx.x) = data[threadIdx.x];
}

// ---- init: uninitialised memory

KERNEL unwritten_bad(const int *from, int *to)
{
	__shared__ int tile[64];

	if (threadIdx.x)
		tile[threadIdx.x] = from[threadIdx.x];
	__syncthreads();
	to[threadIdx.x] = tile[63 - threadIdx.x];
}

KERNEL unwritten_good(const int *from, int *to)
{
	__shared__ int tile[64];

	tile[threadIdx.x] = from[threadIdx.x];
	__syncthreads();
	to[threadIdx.x] = tile[63 - threadIdx.x];
}

// A register that is written only on one of the ways to its use. In C++ a compiler may do
// anything with such a variable; in assembly it stays.

KERNEL unset_bad(int *data, int most)
{
	asm volatile("{\n\t"
		     ".reg .pred small; .reg .s32 value;\n\t"
		     "setp.lt.s32 small, %0, %1;\n\t"
		     "@small mov.s32 value, 7;\n\t"
		     "add.s32 value, value, 1;\n\t"
		     "st.global.s32 [%2], value;\n\t"
		     "}" :: "r"(threadIdx.x), "r"(most), "l"(data + threadIdx.x) : "memory");
}

KERNEL unset_good(int *data, int most)
{
	asm volatile("{\n\t"
		     ".reg .pred small; .reg .s32 value;\n\t"
		     "setp.lt.s32 small, %0, %1;\n\t"
		     "mov.s32 value, 0;\n\t"
		     "@small mov.s32 value, 7;\n\t"
		     "add.s32 value, value, 1;\n\t"
		     "st.global.s32 [%2], value;\n\t"
		     "}" :: "r"(threadIdx.x), "r"(most), "l"(data + threadIdx.x) : "memory");
}

// ---- race: accesses that nothing orders

KERNEL barrier_bad(const int *from, int *to)
{
	__shared__ int tile[64];

	tile[threadIdx.x] = from[threadIdx.x];
	to[threadIdx.x] = tile[63 - threadIdx.x];
}

KERNEL barrier_good(const int *from, int *to)
{
	__shared__ int tile[64];

	tile[threadIdx.x] = from[threadIdx.x];
	__syncthreads();
	to[threadIdx.x] = tile[63 - threadIdx.x];
}

KERNEL lanes_bad(const int *from, int *to)
{
	__shared__ int tile[32];

	tile[threadIdx.x] = from[threadIdx.x];
	to[threadIdx.x] = tile[31 - threadIdx.x];
}

KERNEL lanes_good(const int *from, int *to)
{
	__shared__ int tile[32];

	tile[threadIdx.x] = from[threadIdx.x];
	__syncwarp();
	to[threadIdx.x] = tile[31 - threadIdx.x];
}

KERNEL count_bad(const int *from, int *count)
{
	if (from[blockIdx.x * blockDim.x + threadIdx.x] > 0)
		*count = *count + 1;
}

KERNEL count_good(const int *from, int *count)
{
	if (from[blockIdx.x * blockDim.x + threadIdx.x] > 0)
		atomicAdd(count, 1);
}

// Block 0 hands a value to block 1; what it hands over has to be there before its flag.

KERNEL message_bad(int *message, int *flag)
{
	if (blockIdx.x == 0) {
		message[0] = 42;
		atomicExch(flag, 1);
	} else {
		while (!atomicAdd(flag, 0))
			;
		__threadfence();
		message[1] = message[0];
	}
}

KERNEL message_good(int *message, int *flag)
{
	if (blockIdx.x == 0) {
		message[0] = 42;
		__threadfence();
		atomicExch(flag, 1);
	} else {
		while (!atomicAdd(flag, 0))
			;
		__threadfence();
		message[1] = message[0];
	}
}

// The block that comes last adds up what all have left.

template <bool fenced>
__device__ void sum(const int *from, int *parts, int *total)
{
	__shared__ bool last;

	if (threadIdx.x == 0) {
		int part = 0;

		for (int i = 0; i < 32; i++)
			part += from[32 * blockIdx.x + i];
		parts[blockIdx.x] = part;
		if (fenced)
			__threadfence();
		last = atomicAdd(total + 1, 1) == gridDim.x - 1;
	}
	__syncthreads();
	if (last && threadIdx.x < gridDim.x)
		atomicAdd(total, parts[threadIdx.x]);
}

KERNEL sum_bad(const int *from, int *parts, int *total)
{
	sum<false>(from, parts, total);
}

KERNEL sum_good(const int *from, int *parts, int *total)
{
	sum<true>(from, parts, total);
}

// ---- sync: barriers and warp functions that threads do not come to

KERNEL divergent_bad(int *data)
{
	if (threadIdx.x % 32 < 16) {
		data[threadIdx.x] = 1;
		__syncthreads();
	} else {
		data[threadIdx.x] = 2;
		__syncthreads();
	}
}

KERNEL divergent_good(int *data)
{
	if (threadIdx.x % 32 < 16)
		data[threadIdx.x] = 1;
	else
		data[threadIdx.x] = 2;
	__syncthreads();
}

KERNEL missing_bad(int *data)
{
	if (threadIdx.x >= 32)
		asm volatile("bar.sync 1, 64;");
	data[threadIdx.x] = 1;
}

KERNEL missing_good(int *data)
{
	asm volatile("bar.sync 1, 64;");
	data[threadIdx.x] = 1;
}

KERNEL shuffle_bad(int *data)
{
	if (threadIdx.x < 16)
		data[threadIdx.x] = __shfl_xor_sync(0xffff, data[threadIdx.x], 16);
}

KERNEL shuffle_good(int *data)
{
	if (threadIdx.x < 16)
		data[threadIdx.x] = __shfl_xor_sync(0xffff, data[threadIdx.x], 8);
}

KERNEL member_bad(int *data)
{
	data[threadIdx.x] = __ballot_sync(0xffff, data[threadIdx.x] > 0);
}

KERNEL member_good(int *data)
{
	data[threadIdx.x] = __ballot_sync(0xffffffff, data[threadIdx.x] > 0);
}

KERNEL match_bad(int *data)
{
	data[threadIdx.x] = __match_any_sync(0xffff, data[threadIdx.x]);
}

KERNEL match_good(int *data)
{
	data[threadIdx.x] = __match_any_sync(0xffffffff, data[threadIdx.x]);
}

// A barrier for two warps, to which three come: the third waits for a fourth.

KERNEL third_bad(int *data)
{
	asm volatile("bar.sync 1, 64;");
	data[threadIdx.x] = 1;
}

KERNEL third_good(int *data)
{
	asm volatile("bar.sync 1, 96;");
	data[threadIdx.x] = 1;
}

// A member of the mask that is at another instruction, and never arrives at this one.

KERNEL apart_bad(int *data)
{
	if (threadIdx.x < 31)
		data[threadIdx.x] = __any_sync(0xffffffff, data[threadIdx.x] > 0);
	else
		__syncwarp();
}

KERNEL apart_good(int *data)
{
	int any = __any_sync(0xffffffff, data[threadIdx.x] > 0);

	if (threadIdx.x < 31)
		data[threadIdx.x] = any;
}

// ---- leak: memory that is never freed

KERNEL heap_bad(int **kept)
{
	kept[threadIdx.x] = (int *)malloc(16);
}

KERNEL heap_good(int **kept)
{
	kept[threadIdx.x] = (int *)malloc(16);
	free(kept[threadIdx.x]);
}
