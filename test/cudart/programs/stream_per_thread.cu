// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The thread's own default stream: kernels and copies of two threads do not wait for each other.
//: nvcc --default-stream per-thread
#include <thread>

#include "check.h"

__device__ volatile int met[2];

/* Each waits for the other: that ends only where both run at once. */
__global__ void meet(int me, int *out)
{
	met[me] = 1;
	while (!met[!me])
		__nanosleep(500);
	*out = me + 1;
}

static void run(int me, int *out)
{
	int *data;

	CHECK(cudaMalloc(&data, sizeof(*data)));
	meet<<<1, 1>>>(me, data);
	CHECK(cudaMemcpy(out, data, sizeof(*out), cudaMemcpyDeviceToHost));
	CHECK(cudaStreamSynchronize(cudaStreamPerThread));
	CHECK(cudaFree(data));
}

int main()
{
	int out[2] = {};

	CHECK(cudaFree(0));
	std::thread other(run, 1, out + 1);
	run(0, out);
	other.join();
	SAME(1, out[0]);
	SAME(2, out[1]);
	return ok();
}
