// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The address of a variable, copies through it, copies between variables, and what is no variable.
#include "check.h"

__device__ int from[4] = { 1, 2, 3, 4 }, to[4];
static int host_only;

int main()
{
	void *address;
	int got[4];
	size_t size;

	CHECK(cudaGetSymbolAddress(&address, from));
	CHECK(cudaMemcpyToSymbol(to, address, sizeof(from), 0, cudaMemcpyDeviceToDevice));
	CHECK(cudaMemcpyFromSymbol(got, to, sizeof(got)));
	for (int i = 0; i < 4; i++)
		SAME(i + 1, got[i]);
	CHECK(cudaMemcpyToSymbolAsync(to, got + 3, sizeof(int), 4, cudaMemcpyHostToDevice, 0));
	CHECK(cudaMemcpyFromSymbolAsync(got, to, sizeof(got), 0, cudaMemcpyDeviceToHost, 0));
	CHECK(cudaDeviceSynchronize());
	SAME(4, got[1]);
	GIVES(cudaErrorInvalidSymbol, cudaGetSymbolAddress(&address, host_only));
	GIVES(cudaErrorInvalidSymbol, cudaGetSymbolSize(&size, host_only));
	GIVES(cudaErrorInvalidSymbol, cudaMemcpyToSymbol(host_only, got, 4));
	GIVES(cudaErrorInvalidValue, cudaMemcpyToSymbol(to, got, 20));
	GIVES(cudaErrorInvalidValue, cudaMemcpyFromSymbol(got, to, 8, 12));
	GIVES(cudaErrorInvalidMemcpyDirection, cudaMemcpyToSymbol(to, got, 4, 0, cudaMemcpyDeviceToHost));
	return ok();
}
