/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Kernels. A program names one by its host function, by the handle of
 * cudaGetKernel, or by one of cudaLibraryGetKernel. NULL is cudaErrorInvalidDeviceFunction,
 * whatever else is none of these cudaErrorInvalidResourceHandle, and a kernel that its image
 * does not have cudaErrorSymbolNotFound. The image is loaded at the first use.
 */
#ifndef CUDART_KERNEL_H
#define CUDART_KERNEL_H

#include "cudart.h"

/* The kernel that @function, on the host, is for. */
cudaError_t kernel_get(CUkernel *kernel, const void *function);

/* As kernel_get, but cudaErrorInvalidDeviceFunction for all that is no kernel. */
cudaError_t kernel_of_symbol(CUkernel *kernel, const void *symbol);

/* The same for the current context's device. */
cudaError_t kernel_function(CUfunction *function, const void *symbol);

/* What code of nvcc keeps for its launches: the host function itself, so that nothing is loaded. */
cudaError_t kernel_handle(CUkernel *kernel, const void *function);

/* Enters a kernel of @library, so that launches know it. */
cudaError_t kernel_add(CUkernel kernel, CUlibrary library);

/* Forgets the kernels of @library. */
void kernel_forget(CUlibrary library);

/* The calls of these names, less what cudart_api.def says about STATE. */
cudaError_t kernel_attributes(struct cudaFuncAttributes *attributes, const void *function);
cudaError_t kernel_name(const char **name, const void *function);
cudaError_t kernel_parameter(const void *function, size_t index, size_t *offset, size_t *size);
cudaError_t kernel_set_attribute(const void *function, CUfunction_attribute attribute, int value);
cudaError_t kernel_set_banks(const void *function, CUsharedconfig banks);
cudaError_t kernel_set_cache(const void *function, CUfunc_cache cache);

cudaError_t occupancy_blocks(int *blocks, const void *function, int block, size_t shared,
			     unsigned flags);
cudaError_t occupancy_cluster_size(int *size, const void *function,
				   const cudaLaunchConfig_t *config);
cudaError_t occupancy_clusters(int *clusters, const void *function,
			       const cudaLaunchConfig_t *config);
cudaError_t occupancy_shared(size_t *shared, const void *function, int blocks, int block);

#endif
