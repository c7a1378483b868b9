// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a stream tells of itself, and priorities.
#include "check.h"

int main()
{
	cudaStream_t stream, other;
	int least, greatest, priority, device;
	unsigned flags;
	unsigned long long id, other_id;
	cudaStreamCaptureStatus status;

	CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
	EXPECT(greatest <= least);
	CHECK(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, greatest));
	CHECK(cudaStreamGetPriority(stream, &priority));
	SAME(greatest, priority);
	CHECK(cudaStreamGetFlags(stream, &flags));
	SAME(cudaStreamNonBlocking, flags);
	CHECK(cudaStreamCreate(&other));
	CHECK(cudaStreamGetId(stream, &id));
	CHECK(cudaStreamGetId(other, &other_id));
	EXPECT(id != other_id);
	CHECK(cudaStreamGetDevice(stream, &device));
	SAME(0, device);
	CHECK(cudaStreamIsCapturing(stream, &status));
	SAME(cudaStreamCaptureStatusNone, status);
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaStreamDestroy(other));
	GIVES(cudaErrorInvalidResourceHandle, cudaStreamDestroy(0));
	GIVES(cudaErrorInvalidResourceHandle, cudaGetLastError());
	GIVES(cudaErrorInvalidValue, cudaStreamCreateWithFlags(&stream, 77));
	return ok();
}
