/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The images of device code that the program brought with it: what the compiler's
 * constructors register before main, and what dlopen brings later. An image is
 * loaded at the first use of one of its kernels or variables, as a CUlibrary of the
 * driver, which holds for all devices and survives their reset.
 */
#ifndef CUDART_IMAGE_H
#define CUDART_IMAGE_H

#include "symbol.h"

/*
 * Gives the driver's library of @image, which is loaded now if it is not yet. What
 * cuLibraryLoadData says; cudaErrorInvalidKernelImage for a wrapper that is none.
 */
cudaError_t image_library(struct image *image, CUlibrary *library);

/* Gives the kernel of @symbol, loaded; cudaErrorSymbolNotFound if its image has
 * none of that name, and what image_library() says. */
cudaError_t image_kernel(struct symbol *symbol, CUkernel *kernel);

/* Keeps other threads from what is registered and loaded, for fork() and the end. */
void image_lock(void);
bool image_trylock(void);
void image_unlock(void);

/* Unloads every image; they stay registered. At the end of the process, with the lock. */
void image_unload_all(void);

/* What compilers call; in a child of fork() that the library refuses, nothing happens. */
#pragma GCC visibility push(default)
void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
			    int thread_limit, uint3 *tid, uint3 *bid, dim3 *block, dim3 *grid,
			    int *warp_size);
void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int external,
		       size_t size, int constant, int global);
void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name,
			      int external, size_t size, int constant, int global);
void __cudaRegisterHostVar(void **handle, const char *name, char *host, size_t size);
cudaError_t __cudaRegisterUnifiedTable(void **handle, void *table);
char __cudaInitModule(void **handle);
#pragma GCC visibility pop

#endif
