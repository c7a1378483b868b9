// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The driver's own calls, found through the runtime, on the same context, streams and memory.
#include <cuda.h>

#include "check.h"

__global__ void twice(int *data) { data[threadIdx.x] *= 2; }

template <typename F> static F entry(const char *name)
{
	void *function;
	cudaDriverEntryPointQueryResult found;

	CHECK(cudaGetDriverEntryPointByVersion(name, &function, 12000, cudaEnableDefault, &found));
	EXPECT(found == cudaDriverEntryPointSuccess && function);
	return (F)function;
}

int main()
{
	auto get_current = entry<CUresult (*)(CUcontext *)>("cuCtxGetCurrent");
	auto allocate = entry<CUresult (*)(CUdeviceptr *, size_t)>("cuMemAlloc");
	auto launch = entry<CUresult (*)(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
					 CUstream, void **, void **)>("cuLaunchKernel");
	auto stream_create = entry<CUresult (*)(CUstream *, unsigned)>("cuStreamCreate");
	int host[4] = { 1, 2, 3, 4 };
	CUdeviceptr data;
	CUcontext context = NULL;
	cudaFunction_t function;
	CUstream stream;
	void *none;
	cudaDriverEntryPointQueryResult found;

	CHECK(cudaFree(0));
	SAME(0, get_current(&context));
	EXPECT(context != NULL);
	SAME(0, allocate(&data, sizeof(host)));
	SAME(0, stream_create(&stream, 0));
	CHECK(cudaMemcpyAsync((void *)data, host, sizeof(host), cudaMemcpyHostToDevice, stream));
	CHECK(cudaGetFuncBySymbol(&function, (const void *)twice));
	void *args[] = { &data };
	SAME(0, launch(function, 1, 1, 1, 4, 1, 1, 0, stream, args, NULL));
	CHECK(cudaMemcpyAsync(host, (void *)data, sizeof(host), cudaMemcpyDeviceToHost, stream));
	CHECK(cudaStreamSynchronize(stream));
	SAME(8, host[3]);
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree((void *)data));
	cudaGetDriverEntryPointByVersion("cuNoSuchCall", &none, 12000, cudaEnableDefault, &found);
	SAME(cudaDriverEntryPointSymbolNotFound, found);
	cudaGetLastError();
	return ok();
}
