// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Events that measure, that do not, and that were never recorded.
#include "check.h"

__global__ void work(int *data)
{
	for (int i = 0; i < 1000; i++)
		atomicAdd(data, 1);
}

int main()
{
	cudaEvent_t start, end, plain, unused;
	int *data = zeroed<int>(1);
	float ms = -1;

	CHECK(cudaEventCreate(&start));
	CHECK(cudaEventCreate(&end));
	CHECK(cudaEventCreate(&unused));
	CHECK(cudaEventCreateWithFlags(&plain, cudaEventDisableTiming | cudaEventBlockingSync));
	CHECK(cudaEventRecord(start));
	work<<<1, 32>>>(data);
	CHECK(cudaEventRecordWithFlags(end, 0, cudaEventRecordDefault));
	CHECK(cudaEventRecord(plain));
	CHECK(cudaEventSynchronize(end));
	CHECK(cudaEventElapsedTime(&ms, start, end));
	EXPECT(ms >= 0 && ms < 60000);
	CHECK(cudaEventSynchronize(plain));
	GIVES(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, start, plain));
	GIVES(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, start, unused));
	CHECK(cudaEventQuery(unused));
	CHECK(cudaEventDestroy(start));
	CHECK(cudaEventDestroy(end));
	CHECK(cudaEventDestroy(plain));
	CHECK(cudaEventDestroy(unused));
	SAME(32000, taken(data));
	return ok();
}
