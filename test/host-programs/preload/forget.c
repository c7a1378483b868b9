/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* In a program that frees all it has: memory of the driver that is never freed. */
#include <dlfcn.h>
#include <stddef.h>

#include "gpurun.h"

typedef int destroy_fn(struct gpurun_stream stream);
typedef int alloc_fn(unsigned long long *address, size_t size);

__attribute__((visibility("default"))) int gpurun_stream_destroy(struct gpurun_stream stream)
{
	destroy_fn *next = (destroy_fn *)dlsym(RTLD_NEXT, "gpurun_stream_destroy");
	void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
	alloc_fn *alloc = driver ? (alloc_fn *)dlsym(driver, "cuMemAlloc_v2") : NULL;
	unsigned long long address;

	return !alloc || alloc(&address, 300) ? GPURUN_INTERNAL : next(stream);
}
