// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is not supported yet says so, and is remembered as the last error.
//: finds nothing that a GPU would not allow
//: differs NVIDIA's has what ours has not yet
#include "check.h"

int main()
{
	cudaGraph_t graph;
	cudaArray_t array;
	cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
	int *data = zeroed<int>(1);
	cudaIpcMemHandle_t handle;

	SAME(32, desc.x);
	SAME(cudaChannelFormatKindFloat, desc.f);
	GIVES(cudaErrorNotSupported, cudaGraphCreate(&graph, 0));
	GIVES(cudaErrorNotSupported, cudaGetLastError());
	GIVES(cudaErrorNotSupported, cudaMallocArray(&array, &desc, 16, 16));
	GIVES(cudaErrorNotSupported, cudaIpcGetMemHandle(&handle, data));
	SAME(cudaErrorNotSupported, cudaGetLastError());
	return ok();
}
