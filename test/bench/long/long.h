// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/*
 * What the programs of this folder share: each computes something for as long as GPU programs do, compares
 * a part of the result with the same work in C, and prints "NAME: SECONDS s". The argument, 1 if there is none,
 * is how often the work is done.
 */
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CALL(call) called((call), #call, __LINE__)
static void called(cudaError_t error, const char *what, int line)
{
	if (!error)
		return;
	fprintf(stderr, "line %d: %s: %s\n", line, what, cudaGetErrorString(error));
	exit(1);
}

template <typename T> static T *device(const std::vector<T> &host)
{
	T *memory;

	CALL(cudaMalloc(&memory, host.size() * sizeof(T)));
	CALL(cudaMemcpy(memory, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
	return memory;
}

template <typename T> static std::vector<T> host(const T *memory, size_t count)
{
	std::vector<T> copy(count);

	CALL(cudaMemcpy(copy.data(), memory, count * sizeof(T), cudaMemcpyDeviceToHost));
	return copy;
}

/* A number that is the same in each run, from 0 to 1. */
static float random_part(unsigned i)
{
	i = (i ^ i >> 16) * 0x7feb352du;
	i = (i ^ i >> 15) * 0x846ca68bu;
	return (float)((i ^ i >> 16) >> 8) / (1 << 24);
}

static void expect(double got, double want, double tolerance, const char *what)
{
	if (fabs(got - want) <= tolerance * (1 + fabs(want)))
		return;
	fprintf(stderr, "%s: got %.9g, expected %.9g\n", what, got, want);
	exit(1);
}

/* Does @work so often as the argument says, and prints the time. */
template <typename W> static void timed(const char *name, int argc, char **argv, W work)
{
	const int times = argc > 1 ? atoi(argv[1]) : 1;
	const auto begin = std::chrono::steady_clock::now();

	for (int i = 0; i < times; i++)
		work();
	CALL(cudaGetLastError());
	CALL(cudaDeviceSynchronize());
	const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
	printf("%s: %.2f s\n", name, took.count());
}
