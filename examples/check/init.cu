// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Uninitialised values, which `gpurun --check init` finds, and beside each
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

// Bytes of a word that is read whole.

__device__ int word(int most)
{
	volatile unsigned char own[32];

	for (int i = 0; i < most; i++)
		own[4 * i] = own[4 * i + 1] = own[4 * i + 3] = i;
	return *(volatile int *)(own + 4 * (threadIdx.x % most)) + 1;
}

KERNEL bytes_bad(int *data, int most)
{
	data[threadIdx.x] = word(most);
}

__device__ int whole_word(int most)
{
	volatile unsigned char own[32];

	for (int i = 0; i < 4 * most; i++)
		own[i] = i;
	return *(volatile int *)(own + 4 * (threadIdx.x % most)) + 1;
}

KERNEL bytes_good(int *data, int most)
{
	data[threadIdx.x] = whole_word(most);
}

// A copy of a structure has gaps where it has them; what is in them no program may use.

struct gaps {
	char first;
	double second;
	short third;
	alignas(16) int last;
};

__device__ __noinline__ void make(gaps *to, int value, bool whole)
{
	to->first = value;
	to->second = value;
	if (whole)
		to->third = value;
	to->last = value;
}

KERNEL copy_bad(gaps *to, short *data)
{
	gaps own, copy;

	make(&own, threadIdx.x, threadIdx.x != 3);
	memcpy(&copy, &own, sizeof(copy));
	to[threadIdx.x] = copy;
	data[threadIdx.x] = copy.third + 1;
}

KERNEL copy_good(gaps *to, short *data)
{
	gaps own, copy;

	make(&own, threadIdx.x, true);
	memcpy(&copy, &own, sizeof(copy));
	to[threadIdx.x] = copy;
	data[threadIdx.x] = copy.third + 1;
}

// ---- Registers

// A variable that is set on some ways only goes through others before it is used.

KERNEL moved_bad(int *data, int most)
{
	asm volatile("{\n\t"
		     ".reg .pred small; .reg .s32 value, other, sum;\n\t"
		     "setp.lt.s32 small, %0, %1;\n\t"
		     "@small mov.s32 value, 7;\n\t"
		     "mov.s32 other, value;\n\t"
		     "selp.s32 sum, other, 5, small;\n\t"
		     "@!small mov.s32 sum, other;\n\t"
		     "st.global.s32 [%2], sum;\n\t"
		     "}" :: "r"(threadIdx.x), "r"(most), "l"(data + threadIdx.x) : "memory");
}

KERNEL moved_good(int *data, int most)
{
	asm volatile("{\n\t"
		     ".reg .pred small; .reg .s32 value, other, sum;\n\t"
		     "setp.lt.s32 small, %0, %1;\n\t"
		     "@small mov.s32 value, 7;\n\t"
		     "mov.s32 other, value;\n\t"
		     "selp.s32 sum, other, 5, small;\n\t"
		     "st.global.s32 [%2], sum;\n\t"
		     "}" :: "r"(threadIdx.x), "r"(most), "l"(data + threadIdx.x) : "memory");
}

// Through calls: a function that calls itself, and one that only its address is known of.

__device__ __noinline__ int deep(int left, int all)
{
	int value;

	if (left > 0) {
		int below = deep(left - 1, all);

		return below + left;
	}
	asm volatile("{\n\t"
		     ".reg .pred set; .reg .s32 given;\n\t"
		     "setp.ne.s32 set, %1, 0;\n\t"
		     "@set mov.s32 given, 1;\n\t"
		     "mov.s32 %0, given;\n\t"
		     "}" : "=r"(value) : "r"(all));
	return value;
}

KERNEL recursive_bad(int *data, int most)
{
	data[threadIdx.x] = deep(threadIdx.x % 4, threadIdx.x < most);
}

KERNEL recursive_good(int *data, int most)
{
	data[threadIdx.x] = deep(threadIdx.x % 4, most);
}

__device__ int twice(int value) { return 2 * value; }
__device__ int next(int value) { return value + 1; }

__device__ int (*const volatile functions[])(int) = { twice, next };

template <bool whole>
__device__ void call(int *data, int most)
{
	int value;

	asm volatile("{\n\t"
		     ".reg .pred set; .reg .s32 given;\n\t"
		     "setp.lt.s32 set, %1, %2;\n\t"
		     "@set mov.s32 given, 1;\n\t"
		     "mov.s32 %0, given;\n\t"
		     "}" : "=r"(value) : "r"(whole ? 0 : threadIdx.x), "r"(most));
	data[threadIdx.x] = functions[threadIdx.x % 2](value);
}

KERNEL indirect_bad(int *data, int most)
{
	call<false>(data, most);
}

KERNEL indirect_good(int *data, int most)
{
	call<true>(data, most);
}
