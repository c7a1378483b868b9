/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Two translation units in one file, for cubins whose line info holds their PTX: with
 * -DPART=1 and -DPART=2 (-rdc=true) each alone, else both. */
#ifndef PART
#define PART 3
#endif

__device__ int twice(int value);

/* Each unit has its own instance of it. */
template <class T> __global__ void fill(T *data, T value)
{
	data[threadIdx.x] = value;
}

#if PART & 1
__constant__ int offset = 3;
static __device__ int unit = 100;

extern "C" __global__ void first(int *data, int value)
{
	data[threadIdx.x] = twice(value) + offset + unit;
	unit = 100;
}

template __global__ void fill(int *, int);
#endif

#if PART & 2
#if PART == 2
static __device__ int unit = 200;
#endif

__device__ __noinline__ int twice(int value)
{
	return 2 * value;
}

extern "C" __global__ void second(float *data, float value)
{
	data[threadIdx.x] = value + unit;
	unit = PART == 2 ? 200 : 100;
}

#if PART == 2
template __global__ void fill(int *, int);
#endif
#endif
