/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Has a kernel, "write" of the PTX file that it is given, write to memory; with a
 * second argument to memory that it has freed before.
 */
#include "saxpy.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>

static void *find(const char *name)
{
	static void *library;
	void *function;

	if (!library)
		library = dlopen("libcuda.so.1", RTLD_NOW);
	function = library ? dlsym(library, name) : NULL;
	check(!function, name);
	return function;
}

#define FIND(driver, call, name) memcpy(&(driver)->call, &(void *){ find(name) }, sizeof(void *))

static void find_all(struct driver *driver)
{
	FIND(driver, init, "cuInit");
	FIND(driver, retain, "cuDevicePrimaryCtxRetain");
	FIND(driver, set_current, "cuCtxSetCurrent");
	FIND(driver, load, "cuModuleLoadData");
	FIND(driver, get_function, "cuModuleGetFunction");
	FIND(driver, unload, "cuModuleUnload");
	FIND(driver, alloc, "cuMemAlloc_v2");
	FIND(driver, free, "cuMemFree_v2");
	FIND(driver, launch, "cuLaunchKernel");
	FIND(driver, synchronize, "cuCtxSynchronize");
}

int main(int argc, char **argv)
{
	const bool early = argc > 2;
	char *ptx = read_ptx(argc > 1 ? argv[1] : NULL);
	struct driver driver;
	void *context, *module, *function;
	unsigned long long memory;
	void *args[] = { &memory };

	find_all(&driver);
	CHECK(&driver, init(0));
	CHECK(&driver, retain(&context, 0));
	CHECK(&driver, set_current(context));
	CHECK(&driver, load(&module, ptx));
	CHECK(&driver, get_function(&function, module, "write"));
	CHECK(&driver, alloc(&memory, 64));
	if (early)
		CHECK(&driver, free(memory));
	CHECK(&driver, launch(function, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL));
	CHECK(&driver, synchronize());
	if (!early)
		CHECK(&driver, free(memory));
	CHECK(&driver, unload(module));
	free(ptx);
	return 0;
}
