// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Virtual functions, tables of function pointers, and callbacks through templates.
#include <new>

struct Shape {
	int a, b;

	__device__ Shape(int a, int b) : a(a), b(b) {}
	__device__ virtual int area() const = 0;
	__device__ virtual int sides() const { return 4; }
	__device__ virtual ~Shape() {}
};

struct Rectangle : Shape {
	__device__ Rectangle(int a, int b) : Shape(a, b) {}
	__device__ int area() const override { return a * b; }
};

struct Triangle : Shape {
	__device__ Triangle(int a, int b) : Shape(a, b) {}
	__device__ int area() const override { return a * b / 2; }
	__device__ int sides() const override { return 3; }
};

struct Square final : Rectangle {
	__device__ Square(int a, int) : Rectangle(a, a) {}
	__device__ int sides() const override { return 4 + a % 2; }
};

// Lanes of one warp call different functions.
extern "C" __global__ void shapes(const int *kind, int *area, int *sides)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	Rectangle rectangle(i, 3);
	Triangle triangle(i, 5);
	Square square(i, 0);
	const Shape *all[] = { &rectangle, &triangle, &square };
	const Shape *s = all[kind[i]];

	area[i] = s->area();
	sides[i] = s->sides();
}

typedef int operation(int, int);

__device__ __noinline__ int add(int x, int y) { return x + y; }
__device__ __noinline__ int subtract(int x, int y) { return x - y; }
__device__ __noinline__ int multiply(int x, int y) { return x * y; }
__device__ __noinline__ int divide(int x, int y) { return y ? x / y : 0; }
__device__ __noinline__ int power(int x, int y)
{
	int r = 1;

	for (y &= 7; y > 0; y--)
		r *= x;
	return r;
}

__device__ operation *const operations[] = { add, subtract, multiply, divide, power };

// Reverse Polish: a program per thread; negative codes are operations.
extern "C" __global__ void calculate(const short *programs, int length, int *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, stack[8], depth = 0;
	const short *program = programs + i * length;

	for (int k = 0; k < length; k++) {
		int code = program[k];

		if (code >= 0) {
			stack[depth++] = code;
		} else {
			int y = stack[--depth], x = stack[--depth];

			stack[depth++] = operations[-code - 1](x, y);
		}
	}
	out[i] = stack[0];
}

__device__ operation *chosen = multiply;

// The pointer is a variable: one thread changes it for all.
extern "C" __global__ void change(int *out)
{
	int x = chosen(threadIdx.x, 3);

	__syncthreads();
	if (threadIdx.x == 0)
		chosen = subtract;
	__syncthreads();
	out[threadIdx.x] = x * 1000 + chosen(threadIdx.x, 3);
}
