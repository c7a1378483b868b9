/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Makes memory in each of two contexts, of a pool as well in the second, destroys that, and
 * ends with its argument. There it leaves a stream, two events and a module, too.
 */
#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>

typedef int init_fn(unsigned flags);
typedef int create_fn(void **context, unsigned flags, int device);
typedef int destroy_fn(void *context);
typedef int alloc_fn(unsigned long long *address, size_t size);
typedef int make_fn(void **made, unsigned flags);
typedef int load_fn(void **module, const void *image);
typedef int alloc_async_fn(unsigned long long *address, size_t size, void *stream);

static const char module[] = ".version 7.0\n.target sm_70\n.address_size 64\n";

int main(int argc, char **argv)
{
	void *library = dlopen("libcuda.so.1", RTLD_NOW), *first, *second;
	init_fn *init = library ? (init_fn *)dlsym(library, "cuInit") : NULL;
	create_fn *create = library ? (create_fn *)dlsym(library, "cuCtxCreate_v2") : NULL;
	destroy_fn *destroy = library ? (destroy_fn *)dlsym(library, "cuCtxDestroy_v2") : NULL;
	alloc_fn *alloc = library ? (alloc_fn *)dlsym(library, "cuMemAlloc_v2") : NULL;
	alloc_async_fn *alloc_async =
		library ? (alloc_async_fn *)dlsym(library, "cuMemAllocAsync") : NULL;
	make_fn *make_stream = library ? (make_fn *)dlsym(library, "cuStreamCreate") : NULL;
	make_fn *make_event = library ? (make_fn *)dlsym(library, "cuEventCreate") : NULL;
	load_fn *load = library ? (load_fn *)dlsym(library, "cuModuleLoadData") : NULL;
	unsigned long long address;
	void *made;

	if (!init || !create || !destroy || !alloc || !alloc_async || !make_stream ||
	    !make_event || !load || init(0))
		return 1;
	if (create(&first, 0, 0) || alloc(&address, 100))
		return 2;
	if (create(&second, 0, 0) || alloc(&address, 200) || alloc_async(&address, 300, NULL))
		return 3;
	for (int i = 0; i < 2; i++)
		if (make_event(&made, 0))
			return 5;
	if (make_stream(&made, 0) || load(&made, module))
		return 6;
	if (destroy(second))
		return 4;
	return argc > 1 ? atoi(argv[1]) : 0;
}
