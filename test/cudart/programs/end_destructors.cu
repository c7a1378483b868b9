// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Static objects that free memory of the device when the process ends: silent, and status 0.
//: finds what is freed too late
#include "check.h"

__global__ void set(int *data) { *data = 3; }

struct holder {
	int *data = NULL;
	cudaStream_t stream = NULL;
	~holder()
	{
		cudaFree(data);
		cudaStreamDestroy(stream);
		cudaFreeHost(NULL);
	}
};
static holder before;

int main()
{
	static holder after;

	CHECK(cudaMalloc(&before.data, sizeof(int)));
	CHECK(cudaStreamCreate(&before.stream));
	CHECK(cudaMalloc(&after.data, sizeof(int)));
	CHECK(cudaStreamCreate(&after.stream));
	set<<<1, 1, 0, after.stream>>>(after.data);
	CHECK(cudaStreamSynchronize(after.stream));
	return ok();
}
