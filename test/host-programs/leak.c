/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Makes memory in each of two contexts, of a pool as well in the second, destroys that, and
 * ends with its argument. There it leaves a stream, two events and a module, too.
 */
#include <stddef.h>

#include "find.h"

static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n";

static void create(void)
{
	void *context;

	CALL("cuCtxCreate_v2", (void **, unsigned, int), &context, 0, 0);
}

static void allocate(size_t size)
{
	unsigned long long address;

	CALL("cuMemAlloc_v2", (unsigned long long *, size_t), &address, size);
}

int main(int argc, char **argv)
{
	unsigned long long address;
	void *made, *second;

	CALL("cuInit", (unsigned), 0);
	create();
	allocate(100);
	create();
	allocate(200);
	CALL("cuMemAllocAsync", (unsigned long long *, size_t, void *), &address, 300, NULL);
	for (int i = 0; i < 2; i++)
		CALL("cuEventCreate", (void **, unsigned), &made, 0);
	CALL("cuStreamCreate", (void **, unsigned), &made, 0);
	CALL("cuModuleLoadData", (void **, const void *), &made, ptx);
	CALL("cuCtxGetCurrent", (void **), &second);
	CALL("cuCtxDestroy_v2", (void *), second);
	return argc > 1 ? atoi(argv[1]) : 0;
}
