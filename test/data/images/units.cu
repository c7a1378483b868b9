// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two translation units of device code that need each other: a function, a table of functions,
// virtual functions, and variables in global, constant and managed memory. A third needs what no
// file defines.
typedef int operation(int);

struct shape {
	__device__ virtual int area() const { return 1; }
};

struct square : shape {
	int side;

	__device__ square(int side) : side(side) {}
	__device__ int area() const override;
};

#if PART == 1
extern __device__ int twice(int);
extern __device__ operation *table[2];
extern __device__ int area_of(const shape *);
extern __device__ int total;
extern __constant__ int scale;
extern __managed__ int managed;

// x[i] = 2 i, i + 3, i squared, the constant, the managed variable
extern "C" __global__ void uses(int *x)
{
	const int i = threadIdx.x;
	const square one(i);

	x[5 * i] = twice(i);
	x[5 * i + 1] = table[1](i);
	x[5 * i + 2] = area_of(&one);
	x[5 * i + 3] = scale;
	x[5 * i + 4] = managed;
	atomicAdd(&total, i);
}

static __global__ void hidden(int *x)
{
	*x = 1;
}

void *keep_1()
{
	return (void *)hidden;
}
#elif PART == 2
__device__ int twice(int x)
{
	return 2 * x;
}

__device__ int more(int x)
{
	return x + 3;
}

__device__ operation *table[2] = { twice, more };
__device__ int total;
__constant__ int scale = 7;
__managed__ int managed = 9;

__device__ int square::area() const
{
	return side * side;
}

__device__ int area_of(const shape *s)
{
	return s->area();
}

extern "C" __global__ void reads(int *x)
{
	*x = total;
}

static __global__ void hidden(int *x)
{
	*x = 2;
}

void *keep_2()
{
	return (void *)hidden;
}
#else
extern __device__ int absent(int);

extern "C" __global__ void lacks(int *x)
{
	*x = absent(*x);
}
#endif
