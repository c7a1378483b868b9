/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Memory: the calls of these names, less what cudart_api.def says about STATE. */
#ifndef CUDART_MEMORY_H
#define CUDART_MEMORY_H

#include "cudart.h"

/* No bytes are no memory: success, and NULL. */
cudaError_t memory_allocate(void **address, size_t size);
cudaError_t memory_allocate_async(void **address, size_t size, CUstream stream);
cudaError_t memory_allocate_from_pool(void **address, size_t size, CUmemoryPool pool,
				      CUstream stream);
cudaError_t memory_allocate_host(void **pointer, size_t size, unsigned flags);
cudaError_t memory_allocate_managed(void **address, size_t size, unsigned flags);
cudaError_t memory_allocate_pitch(void **address, size_t *pitch, size_t width, size_t height);
cudaError_t memory_allocate_3d(struct cudaPitchedPtr *pitched, struct cudaExtent extent);

/* Unlike the driver's call, tells a device that is none from a pool that is none. */
cudaError_t memory_set_pool(int device, CUmemoryPool pool);

/* NULL is success. */
cudaError_t memory_free(void *address);
cudaError_t memory_free_async(void *address, CUstream stream);
cudaError_t memory_free_host(void *pointer);

cudaError_t memory_attributes(struct cudaPointerAttributes *attributes, const void *pointer);

#endif
