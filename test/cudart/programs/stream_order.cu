// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Streams that wait for events of others, and events that are not done.
#include "check.h"

__device__ volatile int gate;

__global__ void hold(int *out)
{
	while (!gate)
		__nanosleep(1000);
	*out = 1;
}

__global__ void copy(const int *from, int *to) { *to = *from + 1; }

int main()
{
	cudaStream_t one, two, three;
	cudaEvent_t event;
	int *data = zeroed<int>(2), open = 1;

	CHECK(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&three, cudaStreamNonBlocking));
	CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
	/* A kernel that is loaded at its first launch may wait for those under way. */
	copy<<<1, 1>>>(data, data + 1);
	CHECK(cudaDeviceSynchronize()); /* it reads what the next one writes */
	hold<<<1, 1, 0, one>>>(data);
	CHECK(cudaEventRecord(event, one));
	CHECK(cudaStreamWaitEvent(two, event));
	copy<<<1, 1, 0, two>>>(data, data + 1);
	GIVES(cudaErrorNotReady, cudaEventQuery(event));
	GIVES(cudaErrorNotReady, cudaStreamQuery(two));
	SAME(cudaSuccess, cudaPeekAtLastError());
	CHECK(cudaStreamQuery(three));
	CHECK(cudaMemcpyToSymbolAsync(gate, &open, sizeof(open), 0, cudaMemcpyHostToDevice, three));
	CHECK(cudaStreamSynchronize(two));
	CHECK(cudaEventQuery(event));
	SAME(2, fetched(data, 2)[1]);
	CHECK(cudaEventDestroy(event));
	CHECK(cudaStreamDestroy(one));
	CHECK(cudaStreamDestroy(two));
	CHECK(cudaStreamDestroy(three));
	return ok();
}
