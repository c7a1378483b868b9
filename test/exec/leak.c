/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Makes memory in each of two contexts, of a pool as well in the second, destroys that, and
 * ends with its argument.
 */
#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>

typedef int init_fn(unsigned flags);
typedef int create_fn(void **context, unsigned flags, int device);
typedef int destroy_fn(void *context);
typedef int alloc_fn(unsigned long long *address, size_t size);
typedef int alloc_async_fn(unsigned long long *address, size_t size, void *stream);

int main(int argc, char **argv)
{
	void *library = dlopen("libcuda.so.1", RTLD_NOW), *first, *second;
	init_fn *init = library ? (init_fn *)dlsym(library, "cuInit") : NULL;
	create_fn *create = library ? (create_fn *)dlsym(library, "cuCtxCreate_v2") : NULL;
	destroy_fn *destroy = library ? (destroy_fn *)dlsym(library, "cuCtxDestroy_v2") : NULL;
	alloc_fn *alloc = library ? (alloc_fn *)dlsym(library, "cuMemAlloc_v2") : NULL;
	alloc_async_fn *alloc_async =
		library ? (alloc_async_fn *)dlsym(library, "cuMemAllocAsync") : NULL;
	unsigned long long address;

	if (!init || !create || !destroy || !alloc || !alloc_async || init(0))
		return 1;
	if (create(&first, 0, 0) || alloc(&address, 100))
		return 2;
	if (create(&second, 0, 0) || alloc(&address, 200) || alloc_async(&address, 300, NULL))
		return 3;
	if (destroy(second))
		return 4;
	return argc > 1 ? atoi(argv[1]) : 0;
}
