/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Has a kernel, "write" of the PTX file that it is given, write to memory; with a
 * second argument to memory that it has freed before.
 */
#include <stdbool.h>

#include "saxpy.h"

typedef unsigned long long address;

static void launch(void *function, address memory)
{
	void *args[] = { &memory };

	CALL("cuLaunchKernel",
	     (void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *,
	      void **, void **),
	     function, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL);
}

int main(int argc, char **argv)
{
	const bool early = argc > 2;
	char *ptx = read_ptx(argc > 1 ? argv[1] : NULL);
	void *context, *module, *function;
	address memory;

	CALL("cuInit", (unsigned), 0);
	CALL("cuDevicePrimaryCtxRetain", (void **, int), &context, 0);
	CALL("cuCtxSetCurrent", (void *), context);
	CALL("cuModuleLoadData", (void **, const void *), &module, ptx);
	CALL("cuModuleGetFunction", (void **, void *, const char *), &function, module, "write");
	CALL("cuMemAlloc_v2", (address *, size_t), &memory, 64);
	if (early)
		CALL("cuMemFree_v2", (address), memory);
	launch(function, memory);
	CALL("cuCtxSynchronize", (void), );
	if (!early)
		CALL("cuMemFree_v2", (address), memory);
	CALL("cuModuleUnload", (void *), module);
	free(ptx);
	return 0;
}
