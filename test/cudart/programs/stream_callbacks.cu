// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Host functions and callbacks, in the order of their stream.
#include <atomic>

#include "check.h"

static std::atomic<int> steps;

__global__ void set(int *data, int value) { *data = value; }

static void host(void *data) { *(int *)data = ++steps; }

static void called(cudaStream_t stream, cudaError_t status, void *data)
{
	if (stream && !status)
		*(int *)data = 10 * ++steps;
}

int main()
{
	cudaStream_t stream;
	int *data = zeroed<int>(1), one = 0, two = 0, three = 0;

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaLaunchHostFunc(stream, host, &one));
	set<<<1, 1, 0, stream>>>(data, 5);
	CHECK(cudaStreamAddCallback(stream, called, &two, 0));
	CHECK(cudaLaunchHostFunc(stream, host, &three));
	CHECK(cudaStreamSynchronize(stream));
	SAME(1, one);
	SAME(20, two);
	SAME(3, three);
	SAME(5, taken(data));
	GIVES(cudaErrorInvalidValue, cudaLaunchHostFunc(stream, NULL, NULL));
	CHECK(cudaStreamDestroy(stream));
	return ok();
}
