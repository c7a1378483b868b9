// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names and texts of errors, and when the last error is set and when not.
#include <string.h>

#include "check.h"

int main()
{
	void *memory;

	EXPECT(!strcmp(cudaGetErrorName(cudaSuccess), "cudaSuccess"));
	EXPECT(!strcmp(cudaGetErrorString(cudaSuccess), "no error"));
	EXPECT(!strcmp(cudaGetErrorName(cudaErrorInvalidValue), "cudaErrorInvalidValue"));
	EXPECT(!strcmp(cudaGetErrorString(cudaErrorInvalidValue), "invalid argument"));
	EXPECT(!strcmp(cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory"));
	EXPECT(!strcmp(cudaGetErrorName((cudaError_t)12345), "unrecognized error code"));
	EXPECT(strlen(cudaGetErrorString(cudaErrorLaunchFailure)) > 5);
	SAME(cudaSuccess, cudaPeekAtLastError());
	GIVES(cudaErrorInvalidValue, cudaMalloc(NULL, 4));
	GIVES(cudaErrorInvalidValue, cudaPeekAtLastError());
	CHECK(cudaMalloc(&memory, 4));
	GIVES(cudaErrorInvalidValue, cudaGetLastError());
	SAME(cudaSuccess, cudaGetLastError());
	CHECK(cudaFree(memory));
	GIVES(cudaErrorInvalidValue, cudaFree((void *)(size_t)0x123456789));
	GIVES(cudaErrorInvalidValue, cudaGetLastError());
	return ok();
}
