/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What the programs of this folder check themselves with. A program says "ok" and ends with 0, or
 * says what is wrong and ends with 1.
 */
#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>
#include <stdlib.h>

/* A call of the runtime library that has to succeed. */
#define CHECK(call) GIVES(cudaSuccess, call)

/* A call that has to give @error. */
#define GIVES(error, call) check_gives(error, call, #call, __LINE__)
static inline void check_gives(int wanted, int got, const char *call, int line)
{
	if (got == wanted)
		return;
	printf("line %d: %s: error %d (%s), not %d\n", line, call, got,
	       cudaGetErrorName((cudaError_t)got), wanted);
	exit(1);
}

#define EXPECT(condition) check_expect(!!(condition), #condition, __LINE__)
static inline void check_expect(bool holds, const char *condition, int line)
{
	if (holds)
		return;
	printf("line %d: not so: %s\n", line, condition);
	exit(1);
}

/* What a kernel or a copy left has to be @wanted. */
#define SAME(wanted, got) check_same((double)(wanted), (double)(got), #got, __LINE__)
static inline void check_same(double wanted, double got, const char *what, int line)
{
	if (wanted == got)
		return;
	printf("line %d: %s is %.17g, not %.17g\n", line, what, got, wanted);
	exit(1);
}

#ifdef __CUDACC__
/* What zeroed() gave out. */
static void *check_made[64];
static int check_count;
#endif

static inline int ok(void)
{
#ifdef __CUDACC__
	while (check_count)
		CHECK(cudaFree(check_made[--check_count]));
#endif
	puts("ok");
	return 0;
}

#ifdef __CUDACC__
__device__ static inline int thread_index(void)
{
	return (int)(blockIdx.x * blockDim.x + threadIdx.x);
}

/* Memory of the device for @n values, zeroed. ok() frees it, if taken() has not. */
template <typename T> T *zeroed(size_t n)
{
	T *memory;

	CHECK(cudaMalloc((void **)&memory, n * sizeof(T)));
	CHECK(cudaMemset(memory, 0, n * sizeof(T)));
	if (check_count < 64)
		check_made[check_count++] = memory;
	return memory;
}

/* The @n values there, by the host's own memory (free). */
template <typename T> T *fetched(const T *memory, size_t n)
{
	T *copy = (T *)malloc(n * sizeof(T));

	CHECK(cudaMemcpy(copy, memory, n * sizeof(T), cudaMemcpyDeviceToHost));
	return copy;
}

/* The value there, which is freed. */
template <typename T> T taken(T *memory)
{
	T value;

	CHECK(cudaMemcpy(&value, memory, sizeof(value), cudaMemcpyDeviceToHost));
	for (int i = 0; i < check_count; i++)
		if (check_made[i] == memory)
			check_made[i] = NULL;
	CHECK(cudaFree(memory));
	return value;
}
#endif

#endif
